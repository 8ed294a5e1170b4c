import Shale
import ShaleBase

/// Batches of pending changes.
extension SyncEngine {
    /// A batch that is being made.
    private struct Draft {
        var changes: [PushRequest.Change] = []
        var orders: [UInt64] = []
        /// Pending changes of records that a purge has removed.
        var purged: [(order: UInt64, address: SyncAddress)] = []
        var bytes = 0
        /// True if the outbox was read from its first key.
        var isWhole = false

        var isFull: Bool { changes.count == SyncLimits.changes || bytes >= SyncLimits.batchBytes }
    }

    /// Makes a batch of pending changes, in their order, and stores it. Returns its number and the request; `nil` if
    /// nothing is pending.
    ///
    /// The changes are read at one moment and stay pending. A record that changes again gets another order, which tells
    /// the reply apart. So writers neither wait for this nor conflict with it.
    ///
    /// The batch is durable before it is sent, and with it every change in it (S-5). A power loss would otherwise take
    /// a change that the server has, and its number would be used for another one.
    func makeBatch() throws(StorageError) -> (number: Int64, request: [UInt8])? {
        while true {
            let client = try clientRecord()
            guard let epoch = client.epoch else { return nil }
            let draft = try draft()
            guard !draft.changes.isEmpty || !draft.purged.isEmpty else {
                guard !draft.isWhole else { return nil }
                // Another thread may have put a change into the part that was passed over.
                outbox.restart()
                continue
            }
            let number = client.number + 1
            let request = PushRequest(
                client: client.id, epoch: epoch, number: number, nonce: random.identifier(),
                changes: draft.changes
            ).encoded
            let isMade = try names.meta.transaction(durability: markDurability) {
                (transaction) throws(StorageError) in
                var current = try requireClient(client.id, in: transaction)
                guard current.number == client.number, current.epoch == epoch else { return false }
                for (order, address) in draft.purged { try forget(order, address, in: transaction) }
                guard !draft.changes.isEmpty else { return true }
                current.number = number
                try setClient(current, in: transaction)
                let options = try requestOptions(draft.changes)
                try transaction.set(
                    Flight(number: number, orders: draft.orders), forKey: SyncSpace.flight, in: names.meta, as: .json,
                    options: SyncSpace.options)
                try transaction.set(request, forKey: SyncSpace.request, in: names.meta, options: options)
                return true
            }
            if isMade, !draft.changes.isEmpty { return (number, request) }
        }
    }

    private var markDurability: Durability { PlantedBug.isActive(.sendUndurableBatch) ? .buffered : .synced }

    /// The options of a request: encrypted if a collection in it is.
    private func requestOptions(_ changes: [PushRequest.Change]) throws(StorageError) -> ValueOptions {
        for name in Set(changes.map(\.address.collection)) {
            if let options = try collection(name)?.options, options != SyncSpace.options { return options }
        }
        return SyncSpace.options
    }

    private func draft() throws(StorageError) -> Draft {
        var draft = Draft()
        let moment = try names.meta.snapshot()
        draft.isWhole = outbox.isWhole
        let cursor = outbox.cursor(in: moment[names.pending])
        var isFirst = true
        while !draft.isFull, let key = try cursor.next() {
            let (order, address) = try SyncSpace.pendingChange(key.bytes)
            if isFirst { outbox.begins(at: order) }
            isFirst = false
            guard let records = collection(address.collection),
                let bytes = try moment[records.states].bytes(forKey: address.key)
            else { continue }
            var state = try RecordState(bytes)
            guard state.order == order else { continue }
            // A change that is not collected yet is in the record already.
            if let bytes = try moment[names.journal].bytes(forKey: address.bytes) {
                state.take(try unsafe JournalEntry(bytes.span.bytes))
            }
            var document: [UInt8]?
            if !state.isDeleted {
                do throws(StorageError) {
                    document = try records.document(address.key, extra: state.extra, at: moment)
                } catch {
                    // A record that does not decode stays pending, and the others are sent.
                    guard error.code == .codecFailure || error.code == .typeMismatch else { throw error }
                    continue
                }
                guard document != nil else {
                    draft.purged.append((state.order, address))
                    continue
                }
            }
            var change = PushRequest.Change(
                address: address, base: state.revision, time: clock.corrected(state.time, offset: state.offset),
                count: state.count, document: document)
            if let document, document.count > SyncLimits.documentBytes {
                change.document = nil
                change.isTooLarge = true
            }
            draft.changes.append(change)
            draft.orders.append(state.order)
            draft.bytes += 256 + 2 * address.key.count + (change.document?.count ?? 0)
        }
        return draft
    }

    /// Removes the pending change of a record that a purge has removed. The server keeps its version.
    private func forget(
        _ order: UInt64, _ address: SyncAddress, in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        try collect(CollectionOfOne(address), in: transaction)
        guard let records = collection(address.collection),
            let state = try transaction.state(address.key, in: records.states), state.order == order,
            try records.document(address.key, extra: nil, in: transaction) == nil
        else { return }
        try transaction.removeKey(address.key, in: records.states)
        try transaction.removeKey(SyncSpace.pendingKey(order, address), in: names.pending)
    }

    // MARK: Replies

    /// Applies the outcomes of a batch, and ends it. May run again after a kill: outcomes that were applied change
    /// nothing.
    func applyOutcomes(_ number: Int64, _ reply: PushReply, of client: String) throws(StorageError) {
        guard let flight = try names.meta.value(forKey: SyncSpace.flight, as: Flight.self), flight.number == number,
            let stored = try names.meta.value(forKey: SyncSpace.request, as: [UInt8].self)
        else { return }
        let changes = try PushRequest(stored).changes
        guard reply.outcomes.count == changes.count, flight.orders.count == changes.count else {
            throw .corruption("a reply has another number of outcomes than its batch has changes")
        }
        var start = 0
        while start < changes.count {
            let step = start..<min(changes.count, start + SyncEngine.stepMax)
            try names.meta.transaction { (transaction) throws(StorageError) in
                let record = try requireClient(client, in: transaction)
                try collect(changes[step].lazy.map(\.address), in: transaction)
                for index in step {
                    try apply(
                        reply.outcomes[index], changes[index], flight.orders[index], reply.time, client,
                        in: transaction)
                }
                guard step.upperBound == changes.count else { return }
                try removeFlight(in: transaction)
                try setClient(record, in: transaction)
            }
            start = step.upperBound
        }
    }

    private func apply(
        _ outcome: PushOutcome, _ change: PushRequest.Change, _ order: UInt64, _ time: Int64, _ client: String,
        in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        switch outcome {
        case .applied(let revision): try confirm(change, order, revision, in: transaction)
        case .conflict(let version):
            try receive(
                Arrival(address: change.address, version: version, time: time, client: client), in: transaction)
        case .refused(let reason, let version):
            try receive(
                Arrival(address: change.address, version: version, time: time, client: client, refusal: reason),
                in: transaction)
        case .postponed: break
        }
    }

    /// Takes note that a change is the server's version.
    private func confirm(
        _ change: PushRequest.Change, _ order: UInt64, _ revision: Int64,
        in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        let key = change.address.key
        // The batch may be of an earlier process, and its collection not open in this one.
        let records = collection(change.address.collection)
        let states = records?.states ?? names.states(of: change.address.collection)
        guard var state = try transaction.state(key, in: states) else { return }
        if state.order == order || PlantedBug.isActive(.settleChangedRecord) {
            try transaction.removeKey(SyncSpace.pendingKey(state.order, change.address), in: names.pending)
            state.settle()
        } else if state.isPending, !PlantedBug.isActive(.keepOldBase) {
            // The record has changed since: that change was made on this one.
            state.base = change.document
        }
        state.revision = revision
        let isGone = change.document == nil && !state.isPending
        try transaction.setState(
            isGone ? nil : state, key, in: states, try records?.options ?? SyncSpace.options)
    }
}
