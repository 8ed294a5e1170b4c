package import ShaleBase
import ShaleLog
import ShaleMemtable
import ShaleValues

/// A step of a store's history: a batch, a control operation or a gap.
package struct LoggedStep: Sendable {
    /// The changes of the step. A batch has none here if its record is kept.
    let batch: Engine.ChangeBatch
    /// The record of the batch in its log; `nil` if it is not kept, and for control operations and gaps.
    package private(set) var record: LoggedRecord?
    init(_ batch: Engine.ChangeBatch) { self.batch = batch }

    func with(_ record: LogRecord, hasReferences: Bool) -> LoggedStep {
        var step = self
        step.record = LoggedRecord(
            payload: record.payload.array(), isSingle: record.isSingle, hasReferences: hasReferences)
        return step
    }

    package var sequences: ClosedRange<SequenceNumber> { batch.sequences }

    /// True if batches with these sequences may be missing, because what recorded them is deleted.
    package var isGap: Bool { batch.isGap }
}

/// A record with a batch, as it is in the log of a store.
package struct LoggedRecord: Sendable {
    package let payload: [UInt8]
    /// True if the payload has the format of a single operation.
    package let isSingle: Bool
    /// True if a value of the batch is in a value file of the store.
    package let hasReferences: Bool
}

/// Reads the records of a store's batches from its logs, in the order of sequences and each once, also beside the
/// owner of the store. What was not read yet is held, within the owner's bounds. One thread at a time.
package struct LoggedBatches {
    private var changes: LoggedChanges
    private let values: ValueSource

    /// Begins after `sequence`, with the holds that the engine's directory permits.
    package init(of engine: Engine, after sequence: SequenceNumber) throws(StorageError) {
        try engine.requireOwnProcess()
        values = engine.core.valueSource
        changes = try LoggedChanges(engine.core.directories, after: sequence, keepsRecords: true)
    }

    /// Returns the next step, or `nil` if there is none yet.
    package mutating func next() throws(StorageError) -> LoggedStep? {
        if let step = changes.take() { return step }
        try changes.readOn()
        return changes.take()
    }

    /// Returns the batch with values in the places of references, as it would be without value files; `nil` if the
    /// owner of the store has deleted one of the files, or if a value is above 32 MiB: no record has room for it.
    ///
    /// The caller holds a state before the batch, so that the owner keeps the files, within its bounds.
    ///
    /// - Throws: `.corruption` if a value is damaged.
    package func withValues(_ record: LoggedRecord) throws(StorageError) -> LoggedRecord? {
        guard record.hasReferences else { return record }
        return try record.payload.withBytes { (payload) throws(StorageError) in
            let batch: LoggedBatch
            do throws(ParseFailure) {
                batch = try LoggedBatch(validating: payload, isSingle: record.isSingle)
            } catch {
                throw .corruption("a batch does not parse: \(error.reason)")
            }
            guard try batch.fitsRecord else { return nil }
            var encoder = BatchEncoder()
            do throws(StorageError) {
                try batch.append(to: &encoder, values)
            } catch {
                guard error.code == .outdated else { throw error }
                return nil
            }
            return LoggedRecord(payload: encoder.bytes.array(), isSingle: false, hasReferences: false)
        }
    }
}
