import Shale
import ShaleBase

/// Changes on their way from the journal to the outbox.
///
/// A write of the application stores one entry of the journal, under the record's address, and reads nothing of the
/// synchronisation. What a record's state and its place in the outbox cost is paid here, on the thread of a cycle.
extension SyncEngine {
    /// Brings every change that is in the journal now into the outbox, in steps.
    func collectChanges() throws(StorageError) {
        let noted = names.changesNoted
        guard hasNews(since: noted) else { return }
        for name in collectionNames {
            guard let records = collection(name) else { continue }
            let cursor = names.journal.keys(prefix: SyncAddress(name, []).bytes).cursor()
            var isAtEnd = false
            while !isAtEnd {
                var step: [[UInt8]] = []
                while step.count < SyncEngine.stepMax, let key = try cursor.next() { step.append(key.bytes) }
                isAtEnd = step.count < SyncEngine.stepMax
                guard !step.isEmpty else { break }
                try names.meta.transaction { (transaction) throws(StorageError) in
                    _ = try requireClient(in: transaction)
                    for key in step {
                        guard let address = SyncAddress(bytes: key[...]) else {
                            throw .corruption("the key of a change is not valid")
                        }
                        try collect(address, records, in: transaction)
                    }
                }
            }
        }
        noteCollected(noted)
    }

    /// Brings the changes of some records into the outbox, as a transaction sees them. Every transaction that brings
    /// records in step begins with this.
    ///
    /// It reads the journal at the address of each record, so a change that commits beside the transaction makes it
    /// run again, and is met then.
    func collect(
        _ addresses: some Sequence<SyncAddress>, in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        guard !PlantedBug.isActive(.overlookJournal) else { return }
        for address in addresses {
            guard let records = collection(address.collection) else { continue }
            try collect(address, records, in: transaction)
        }
    }

    private func collect(
        _ address: SyncAddress, _ records: any SyncedRecords, in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        let journalKey = address.bytes
        guard let entry = try transaction.journalEntry(journalKey, in: names.journal) else { return }
        try transaction.removeKey(journalKey, in: names.journal)
        var state = try transaction.state(address.key, in: records.states) ?? RecordState()
        guard !state.isUnreadable else { return try lose(entry, address, state, records, in: transaction) }
        if state.isPending {
            // Only the newest state is sent, at the place of the newest change.
            try transaction.removeKey(SyncSpace.pendingKey(state.order, address), in: names.pending)
        } else {
            state.base = entry.base
        }
        state.take(entry)
        try setPending(address, state, records, in: transaction)
    }

    /// Keeps a change that was made beside the arrival of a version that does not decode here. The record is read-only
    /// since then.
    private func lose(
        _ entry: JournalEntry, _ address: SyncAddress, _ state: RecordState, _ records: any SyncedRecords,
        in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        let mine = try entry.isDeletion ? nil : records.document(address.key, extra: state.extra, in: transaction)
        let theirs = try transaction.storedBytes(address.key, in: records.unreadable).flatMap {
            (stored) throws(StorageError) in try SyncVersion(stored: stored).document
        }
        let sides = DocumentSides(base: entry.base, mine: mine, theirs: theirs, mineIsLater: false)
        try keep(
            KeptRecord(.unreadable, address, clock.now, sides, result: theirs), records, in: transaction)
    }

    /// Stores the state of a record with a pending change, and its place in the outbox.
    func setPending(
        _ address: SyncAddress, _ state: RecordState, _ records: any SyncedRecords,
        in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        outbox.adds(state.order)
        try transaction.setState(state, address.key, in: records.states, try records.options)
        try transaction.setBytes(
            [], forKey: SyncSpace.pendingKey(state.order, address), in: names.pending, options: SyncSpace.options)
    }
}
