import ShaleBase
import ShaleEngine
import ShaleManifest

/// Ships what follows a backup to its log. One thread at a time.
final class LogShipper {
    enum Outcome {
        /// The state is that of the last moment. Nothing was written.
        case unchanged
        case shipped(batches: UInt64, bytes: UInt64)
        /// A batch is in no log of the store any more, or one of its values in no value file. So no later moment can
        /// follow.
        case interrupted
    }

    private let log: ShippedLogWriter
    private var batches: LoggedBatches
    private var catalogue: Catalogue
    /// The last sequence that was shipped.
    private var last: SequenceNumber
    /// The time of the last moment.
    private(set) var wallMilliseconds: Int64

    /// Begins the log of a backup that is being made.
    init(of backup: NewBackup, _ engine: Engine, in directory: BackupDirectory) throws(StorageError) {
        last = backup.store.state.lastSequence
        catalogue = backup.store.state.catalogue
        wallMilliseconds = backup.store.wallMilliseconds
        batches = try LoggedBatches(of: engine, after: last)
        log = try ShippedLogWriter(of: backup.number, after: last, in: directory.root)
    }

    var byteCount: UInt64 { log.byteCount }

    /// Ships the batches up to the state of a read-only engine, and the state as a moment, which is durable on return.
    ///
    /// After an error the log ends with the moment before, and no other may follow.
    func ship(_ engine: Engine) throws(StorageError) -> Outcome {
        let store = try engine.freeze(isCopied: false)
        let state = store.state
        let hasNewCatalogue =
            state.catalogue.records != catalogue.records || state.catalogue.nextID != catalogue.nextID
        guard state.lastSequence != last || hasNewCatalogue else { return .unchanged }
        let begin = log.byteCount
        guard let count = try shipBatches(through: state.lastSequence) else { return .interrupted }
        // A clock that goes back must not make moments that go back.
        wallMilliseconds = max(wallMilliseconds, store.wallMilliseconds)
        try log.append(
            ShippedMoment(
                state, wallMilliseconds,
                hasCatalogue: hasNewCatalogue && !PlantedBug.isActive(.forgetMomentCatalogue)))
        catalogue = state.catalogue
        return .shipped(batches: count, bytes: log.byteCount - begin)
    }

    /// Returns the number of batches, or `nil` if some are missing.
    private func shipBatches(through end: SequenceNumber) throws(StorageError) -> UInt64? {
        var count: UInt64 = 0
        while last < end || PlantedBug.isActive(.shipPastMoment) {
            guard let step = try batches.next() else { return last < end ? nil : count }
            if step.isGap, !PlantedBug.isActive(.passLogGap) { return nil }
            guard step.sequences.upperBound <= end || PlantedBug.isActive(.shipPastMoment) else { return nil }
            if let stored = step.record {
                guard let record = try batches.withValues(stored) else { return nil }
                try log.append(record)
                count += 1
            }
            last = step.sequences.upperBound
        }
        return count
    }

    /// Ends the log.
    func close() throws(StorageError) { try log.close() }
}
