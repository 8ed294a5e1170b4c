import Shale
import ShaleBase
import ShaleSync

/// Batches.
///
/// A batch, its outcomes and its number are one transaction, which is durable before the reply (S-5). Every batch of a
/// user reads and writes the user's record, so the transactions of a user are serial: revisions become visible in
/// their order, and a page has no hole that a later page would miss (S-6).
extension SyncServer {
    func push(_ request: PushRequest, _ user: String) throws(StorageError) -> SyncReply {
        let durability: Durability = PlantedBug.isActive(.answerUndurable) ? .buffered : .synced
        return try root.transaction(durability: durability) { (transaction) throws(StorageError) in
            var record = try userRecord(user, in: transaction)
            guard record.isRemoved != true else { return SyncServer.isRemoved }
            guard request.epoch == record.epoch else {
                return SyncServer.failure(409, ErrorReply.Repair.epoch.rawValue, "revisions of another epoch")
            }
            let key = ServerNamespaces.client(user, request.client)
            let entry = try transaction.storedBytes(key, in: names.clients)
                .map { (bytes) throws(StorageError) in try ClientEntry(bytes) }
            if let entry, entry.number == request.number,
                entry.nonce == request.nonce || PlantedBug.isActive(.ignoreNonce),
                entry.outcomes.count == request.changes.count, !PlantedBug.isActive(.forgetLastBatch)
            {
                return try replay(entry, request, user, in: transaction)
            }
            let isNext = request.number == (entry?.number ?? 0) + 1 || PlantedBug.isActive(.forgetLastBatch)
            guard isNext || (PlantedBug.isActive(.ignoreNonce) && entry?.number != request.number) else {
                return SyncServer.failure(409, ErrorReply.Repair.client.rawValue, "batches of another client")
            }
            var batch = Batch(
                user: user, client: request.client, now: now, trusted: trusted, revision: record.revision)
            for change in request.changes { try apply(change, &batch, in: transaction) }
            record.revision = batch.revision
            if PlantedBug.isActive(.repeatRevision), request.changes.count > 1 { record.revision -= 1 }
            try transaction.set(
                record, forKey: ServerNamespaces.user(user), in: names.users, as: .json,
                options: ServerNamespaces.options)
            let outcomes = ClientEntry(
                number: request.number, nonce: request.nonce, seen: batch.trusted,
                outcomes: batch.outcomes.map(\.stored))
            try transaction.setBytes(
                outcomes.bytes, forKey: key, in: names.clients, options: ServerNamespaces.options)
            return SyncReply(status: 200, body: PushReply(time: batch.now, outcomes: batch.outcomes).encoded)
        }
    }

    /// A batch that is being applied.
    private struct Batch {
        let user: String
        let client: String
        let now: Int64
        let trusted: Int64
        var revision: Int64
        var outcomes: [PushOutcome] = []
        /// The bytes of the documents in the outcomes.
        var bytes = 0

        mutating func add(_ outcome: PushOutcome) {
            outcomes.append(outcome)
            switch outcome {
            case .conflict(let version), .refused(_, let version): bytes += version.document?.count ?? 0
            case .applied, .postponed: break
            }
        }
    }

    private func stored(
        _ user: String, _ address: SyncAddress, in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> ServerRecord? {
        try transaction.storedBytes(ServerNamespaces.record(user, address), in: names.records)
            .map { (bytes) throws(StorageError) in try ServerRecord(bytes) }
    }

    private func apply(
        _ change: PushRequest.Change, _ batch: inout Batch, in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        guard batch.bytes < SyncLimits.batchBytes else { return batch.add(.postponed) }
        let current = try stored(batch.user, change.address, in: transaction)
        let version = current?.version ?? .missing
        if let reason = refusal(change, version, batch.user) { return batch.add(.refused(reason, version)) }
        guard change.base == version.revision || PlantedBug.isActive(.acceptAnyBase) else {
            return batch.add(.conflict(version))
        }
        guard batch.revision < SyncLimits.numberMax else { throw .invalid("a user has no more revisions") }
        batch.revision += 1
        let stamp = SyncStamp(time: change.time, count: change.count, client: batch.client).limited(to: batch.now)
        let new = ServerRecord(
            version: SyncVersion(revision: batch.revision, stamp: stamp, document: change.document),
            written: batch.trusted)
        try replace(current, by: new, batch.user, change.address, in: transaction)
        batch.add(.applied(batch.revision))
    }

    private func refusal(_ change: PushRequest.Change, _ version: SyncVersion, _ user: String) -> String? {
        guard !change.isTooLarge, change.document.map({ $0.count <= SyncLimits.documentBytes }) ?? true else {
            return "the document is over \(SyncLimits.documentBytes) bytes"
        }
        return options.refusal?(
            Change(
                user: user, collection: change.address.collection, key: change.address.key, document: change.document,
                current: version.document))
    }

    /// Writes a version, its entry of the log in place of the earlier one, and its tombstone.
    private func replace(
        _ old: ServerRecord?, by new: ServerRecord, _ user: String, _ address: SyncAddress,
        in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        let options = ServerNamespaces.options
        if let old {
            if !PlantedBug.isActive(.keepOldLogEntry) {
                try transaction.removeKey(
                    ServerNamespaces.log(user, address.collection, old.version.revision), in: names.log)
            }
            if old.isTombstone {
                try transaction.removeKey(
                    ServerNamespaces.tombstone(old.written, user, address), in: names.tombstones)
            }
        }
        if new.isTombstone, PlantedBug.isActive(.loseTombstone) {
            return try transaction.removeKey(ServerNamespaces.record(user, address), in: names.records)
        }
        try transaction.setBytes(
            new.bytes, forKey: ServerNamespaces.record(user, address), in: names.records, options: options)
        try transaction.setBytes(
            address.key, forKey: ServerNamespaces.log(user, address.collection, new.version.revision), in: names.log,
            options: options)
        if new.isTombstone {
            try transaction.setBytes(
                [], forKey: ServerNamespaces.tombstone(new.written, user, address), in: names.tombstones,
                options: options)
        }
    }

    /// Answers a batch that was applied before. Conflicts have the present versions.
    private func replay(
        _ entry: ClientEntry, _ request: PushRequest, _ user: String, in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> SyncReply {
        var outcomes: [PushOutcome] = []
        for (outcome, change) in zip(entry.outcomes, request.changes) {
            let version = try stored(user, change.address, in: transaction)?.version ?? .missing
            switch outcome {
            case .applied(let revision): outcomes.append(.applied(revision))
            case .conflict: outcomes.append(.conflict(version))
            case .refused(let reason): outcomes.append(.refused(reason, version))
            case .postponed: outcomes.append(.postponed)
            }
        }
        return SyncReply(status: 200, body: PushReply(time: now, outcomes: outcomes).encoded)
    }
}

extension PushOutcome {
    var stored: ClientEntry.Outcome {
        switch self {
        case .applied(let revision): .applied(revision)
        case .conflict: .conflict
        case .refused(let reason, _): .refused(reason)
        case .postponed: .postponed
        }
    }
}
