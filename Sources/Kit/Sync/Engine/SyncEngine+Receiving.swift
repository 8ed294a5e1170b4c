import Shale
import ShaleBase

/// A version of the server on its way into a collection.
struct Arrival: Sendable {
    var address: SyncAddress
    var version: SyncVersion
    /// The number of the collection's resynchronisation, for a version of a page; `nil` for one of another reply. A
    /// version that came before the first page says nothing about deletions before that page, so the sweep must not
    /// take the record for seen.
    var generation: UInt32?
    /// False if the revision of a state that this resynchronisation has not seen means nothing.
    var trustsRevisions = true
    /// The server's time.
    var time: Int64
    var client: String
    /// The reason if the server refuses the pending change.
    var refusal: String?
}

/// Versions of the server: applied if nothing is pending, otherwise merged.
extension SyncEngine {
    /// Brings a record in step with a version of the server, in a transaction with the record's state.
    func receive(_ arrival: Arrival, in transaction: borrowing Store.Transaction) throws(StorageError) {
        guard let records = collection(arrival.address.collection) else { return }
        let (key, version) = (arrival.address.key, arrival.version)
        clock.saw(version.stamp.limited(to: arrival.time))
        var state = try transaction.state(key, in: records.states) ?? RecordState()
        let generation = arrival.generation ?? state.generation
        let isKnown = arrival.trustsRevisions || state.generation == generation
        if isKnown, version.revision != 0, state.revision >= version.revision, arrival.refusal == nil {
            guard state.generation != generation else { return }
            state.generation = generation
            // A resynchronisation brings back what a purge has removed.
            let isHere = try records.contains(key, in: transaction)
            guard !isHere, !state.isPending, !state.isUnreadable, state.revision == version.revision else {
                return try transaction.setState(state, key, in: records.states, try records.options)
            }
        }
        state.generation = generation
        if state.isPending {
            let mine = try state.isDeleted ? nil : records.document(key, extra: state.extra, in: transaction)
            if mine != nil || state.isDeleted { return try merge(arrival, mine, state, records, in: transaction) }
            // A purge has removed the record, and its change with it.
            try transaction.removeKey(SyncSpace.pendingKey(state.order, arrival.address), in: names.pending)
            state.settle()
        }
        try applyClean(arrival, state, records, in: transaction)
    }

    /// Stores the server's version of a record without a pending change.
    func applyClean(
        _ arrival: Arrival, _ state: RecordState, _ records: any SyncedRecords,
        in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        let (key, version) = (arrival.address.key, arrival.version)
        var state = state
        state.revision = version.revision
        do throws(StorageError) {
            state.extra = try records.apply(version.document, key, in: transaction)
        } catch {
            guard error.cause is UnreadableDocument else { throw error }
            state.isUnreadable = true
            records.noteUnreadable()
            try transaction.setBytes(version.stored, forKey: key, in: records.unreadable, options: try records.options)
            return try transaction.setState(state, key, in: records.states, try records.options)
        }
        if state.isUnreadable { try transaction.removeKey(key, in: records.unreadable) }
        state.isUnreadable = false
        try transaction.setState(version.document == nil ? nil : state, key, in: records.states, try records.options)
        if PlantedBug.isActive(.journalApplied), version.document != nil {
            try makePending(
                arrival.address, revision: version.revision, state.generation, records, in: transaction)
        }
    }

    /// Merges the server's version with the record here, which has a pending change.
    private func merge(
        _ arrival: Arrival, _ mine: [UInt8]?, _ state: RecordState, _ records: any SyncedRecords,
        in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        var state = state
        let theirs = arrival.version.stamp.limited(to: arrival.time)
        let own = SyncStamp(
            time: clock.corrected(state.time, offset: state.offset), count: state.count, client: arrival.client
        ).limited(to: arrival.time)
        let sides = DocumentSides(
            base: state.base, mine: mine, theirs: arrival.version.document,
            mineIsLater: PlantedBug.isActive(.earlierWriterWins) ? own < theirs : theirs < own)
        let isReadable = arrival.version.document.map { records.isReadable($0) } ?? true
        var merge = DocumentMerge(document: sides.theirs, hasLoss: true)
        var reason = KeptVersion.Reason.conflict
        if let refusal = arrival.refusal {
            reason = .refused(refusal)
        } else if !isReadable {
            reason = .unreadable
        } else {
            merge = records.merge(sides)
            if let result = merge.document, !records.isReadable(result) {
                merge = DocumentMerge(document: sides.later, hasLoss: true)
            }
        }
        if merge.hasLoss, !PlantedBug.isActive(.forgetLoser) {
            try keep(
                KeptRecord(reason, arrival.address, arrival.time, sides, result: merge.document), records,
                in: transaction)
        }
        // Equal records are settled by the later stamp too, or a third version would be compared with the earlier one.
        let staysMine = merge.document == mine && sides.mineIsLater && reason == .conflict
        if merge.document == sides.theirs, !staysMine {
            try transaction.removeKey(SyncSpace.pendingKey(state.order, arrival.address), in: names.pending)
            state.settle()
            return try applyClean(arrival, state, records, in: transaction)
        }
        if merge.document != mine {
            state.extra = try records.apply(merge.document, arrival.address.key, in: transaction)
            // The result is as late as its later side.
            if own < theirs {
                (state.time, state.count, state.offset) = (theirs.time, theirs.count, clock.state.offset)
            }
        }
        state.isDeleted = merge.document == nil
        state.revision = PlantedBug.isActive(.overwriteUnseen) ? state.revision : arrival.version.revision
        state.base = records.needsBase ? sides.theirs : nil
        try transaction.setState(state, arrival.address.key, in: records.states, try records.options)
    }

    /// Stores what a conflict has lost, in the transaction of its result.
    func keep(
        _ record: KeptRecord, _ records: any SyncedRecords, in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        try transaction.set(
            record, forKey: [UInt8](bigEndian: names.order()), in: names.kept, as: .compact,
            options: try records.options)
    }
}
