package import ShaleBase
import ShaleLog

/// A step of a store's history: a batch, a control operation or a gap.
package struct LoggedStep: Sendable {
    /// The changes of the step. A batch has none here if its record is kept.
    let batch: Engine.ChangeBatch
    /// The record of the batch in its log; `nil` if it is not kept, and for control operations and gaps.
    package private(set) var record: LoggedRecord?
    /// True if a value of the kept record is in a value file of the store.
    package private(set) var hasReferences = false

    init(_ batch: Engine.ChangeBatch) { self.batch = batch }

    func with(_ record: LogRecord, hasReferences: Bool) -> LoggedStep {
        var step = self
        step.hasReferences = hasReferences
        step.record = LoggedRecord(payload: record.payload.array(), isSingle: record.isSingle)
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
}

/// Reads the records of a store's batches from its logs, in the order of sequences and each once, also beside the
/// owner of the store. What was not read yet is held, within the owner's bounds. One thread at a time.
package struct LoggedBatches {
    private var changes: LoggedChanges

    /// Begins after `sequence`, with the holds that the engine's directory permits.
    package init(of engine: Engine, after sequence: SequenceNumber) throws(StorageError) {
        try engine.requireOwnProcess()
        changes = try LoggedChanges(engine.core.directories, after: sequence, keepsRecords: true)
    }

    /// Returns the next step, or `nil` if there is none yet.
    package mutating func next() throws(StorageError) -> LoggedStep? {
        if let step = changes.take() { return step }
        try changes.readOn()
        return changes.take()
    }
}
