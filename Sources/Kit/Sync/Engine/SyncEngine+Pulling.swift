import Shale
import ShaleBase

/// Pages of changes, and the end of a resynchronisation.
extension SyncEngine {
    /// Applies a page. A collection's cursor moves with its last change, so a page that was applied in part is applied
    /// again (S-6).
    func applyPage(_ page: PullReply, _ cursors: [String: String?], of client: String) throws(StorageError) {
        let record = try clientRecord()
        if let epoch = record.epoch, epoch != page.epoch {
            return try restartAll(epoch: page.epoch, of: client)
        }
        if record.epoch == nil {
            try names.meta.transaction { (transaction) throws(StorageError) in
                var record = try requireClient(client, in: transaction)
                record.epoch = page.epoch
                try setClient(record, in: transaction)
            }
        }
        for answer in page.collections {
            guard let sent = cursors[answer.name] else {
                throw .corruption("a page has a collection that was not asked for")
            }
            guard let next = answer.cursor else {
                try restart(answer.name, of: client)
                continue
            }
            guard !answer.hasMore || next != sent else {
                throw .corruption("a page with more behind it leaves its cursor where it was")
            }
            try apply(answer, from: sent, to: next, page.time, client)
        }
    }

    private func apply(
        _ answer: PullReply.Collection, from sent: String?, to next: String, _ time: Int64, _ client: String
    ) throws(StorageError) {
        var start = 0
        repeat {
            let step = start..<min(answer.changes.count, start + SyncEngine.stepMax)
            let isCurrent = try names.meta.transaction { (transaction) throws(StorageError) in
                let client = try requireClient(client, in: transaction)
                var record = try collectionRecord(answer.name, in: transaction)
                guard record.cursor == sent else { return false }
                try collect(answer.changes[step].lazy.map { SyncAddress(answer.name, $0.key) }, in: transaction)
                for change in answer.changes[step] {
                    let arrival = Arrival(
                        address: SyncAddress(answer.name, change.key), version: change.version,
                        generation: record.generation, trustsRevisions: !record.isNewEpoch, time: time,
                        client: client.id)
                    try receive(arrival, in: transaction)
                }
                let isLast = step.upperBound == answer.changes.count
                guard isLast || PlantedBug.isActive(.moveCursorEarly) else { return true }
                record.cursor = next
                if !answer.hasMore, record.isResynchronising { record.isSweeping = true }
                try setCollection(record, answer.name, in: transaction)
                try setClient(client, in: transaction)
                return true
            }
            guard isCurrent else { return }
            start = step.upperBound
        } while start < answer.changes.count
        if !answer.hasMore { notePulled(answer.name) }
    }

    /// Ends a resynchronisation: brings every record in step that the server has sent no version of, because it has
    /// none.
    ///
    /// The position is stored with each step, so a sweep continues after a kill.
    func sweep(_ name: String) throws(StorageError) {
        guard let records = collection(name) else { return }
        while try collectionRecord(name).isSweeping, !hasEnded {
            let client = try clientRecord()
            try names.meta.transaction { (transaction) throws(StorageError) in
                _ = try requireClient(client.id, in: transaction)
                var record = try collectionRecord(name, in: transaction)
                guard record.isSweeping else { return }
                let scan = transaction[records.states].entries
                let rest = record.sweptThrough.map { scan.after($0) } ?? scan
                let step = try rest.array(limit: SyncEngine.stepMax)
                try collect(step.lazy.map { SyncAddress(name, $0.key.bytes) }, in: transaction)
                for entry in step {
                    // Read again: its change may have been collected since.
                    guard let state = try transaction.state(entry.key.bytes, in: records.states) else { continue }
                    try sweep(entry.key.bytes, state, record, client, records, in: transaction)
                }
                record.sweptThrough = step.last?.key.bytes
                if step.count < SyncEngine.stepMax { record.finish() }
                try setCollection(record, name, in: transaction)
            }
        }
    }

    private func sweep(
        _ key: [UInt8], _ state: RecordState, _ record: CollectionRecord, _ client: ClientRecord,
        _ records: any SyncedRecords, in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        guard state.generation != record.generation, state.revision != 0, !PlantedBug.isActive(.skipSweep) else {
            return
        }
        let address = SyncAddress(records.name, key)
        if record.isNewEpoch, !state.isPending {
            // A server that was put back lacks what was written since: this client still has it.
            return try makePending(address, revision: 0, record.generation, records, in: transaction)
        }
        let arrival = Arrival(
            address: address, version: .missing, generation: record.generation, trustsRevisions: !record.isNewEpoch,
            time: clock.now, client: client.id)
        try receive(arrival, in: transaction)
    }

    /// Makes a record pending as it is.
    func makePending(
        _ address: SyncAddress, revision: Int64, _ generation: UInt32, _ records: any SyncedRecords,
        in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        var state = try transaction.state(address.key, in: records.states) ?? RecordState()
        state.revision = revision
        state.generation = generation
        state.order = names.order()
        (state.time, state.count, state.offset) = clock.next()
        try setPending(address, state, records, in: transaction)
    }

    // MARK: Opening a collection

    /// Makes the records pending that were written before the collection was synchronised, at its first opening.
    func adoptRecords(of records: any SyncedRecords, in namespace: Store.Namespace) throws(StorageError) {
        let key = SyncSpace.collection(records.name)
        guard try !names.meta.contains(key) else { return }
        var last: [UInt8]?
        var isDone = false
        while !isDone {
            isDone = try names.meta.transaction { (transaction) throws(StorageError) in
                let scan = transaction[namespace].keys
                let step = try (last.map { scan.after($0) } ?? scan).array(limit: SyncEngine.stepMax)
                for key in step where try transaction.state(key.bytes, in: records.states) == nil {
                    try makePending(
                        SyncAddress(records.name, key.bytes), revision: 0, 0, records, in: transaction)
                }
                last = step.last?.bytes ?? last
                guard step.count < SyncEngine.stepMax else { return false }
                try setCollection(CollectionRecord(), records.name, in: transaction)
                return true
            }
        }
    }

    /// Tries again to apply versions that did not decode when they came: this program may be newer.
    func retryUnreadable(of records: any SyncedRecords) throws(StorageError) {
        let unreadable = records.unreadable
        var last: [UInt8]?
        while true {
            let scan = unreadable.keys
            let step = try (last.map { scan.after($0) } ?? scan).array(limit: SyncEngine.stepMax)
            guard let end = step.last else { return }
            try names.meta.transaction { (transaction) throws(StorageError) in
                try collect(step.lazy.map { SyncAddress(records.name, $0.bytes) }, in: transaction)
                for key in step {
                    guard let bytes = try transaction.storedBytes(key.bytes, in: unreadable),
                        let state = try transaction.state(key.bytes, in: records.states), state.isUnreadable
                    else { continue }
                    let arrival = Arrival(
                        address: SyncAddress(records.name, key.bytes), version: try SyncVersion(stored: bytes),
                        time: clock.now, client: "")
                    try applyClean(arrival, state, records, in: transaction)
                }
            }
            last = end.bytes
        }
    }
}
