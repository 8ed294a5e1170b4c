import Shale
public import ShaleBase
import ShaleSync

/// Removing users.
///
/// 1. The user's record is marked. Every push reads and writes that record, so a push is committed before the mark and
///    its changes are removed with the rest, or it finds the mark and changes nothing.
/// 2. Steps remove the data. Each of them reads the mark, so none touches what the user writes after the removal.
/// 3. The last step finds nothing else, and removes the record with the mark.
///
/// A removal that is interrupted leaves the mark. ``SyncServer/removeOutdated()`` finishes it.
extension SyncServer {
    /// Removes all data of a user: records, tombstones, batches of clients, and the epoch.
    ///
    /// During the removal, calls of the user get status 403. Later calls make the user again, and the user's devices
    /// send what they have. So revoke the credentials first, or remove the user on the devices.
    ///
    /// - Parameter user: The id. Does nothing if the server does not know it.
    /// - Throws: The errors of a transaction. Then the removal is incomplete: call it again.
    /// - Complexity: O(the user's records), in transactions of at most 256 removals of each kind. The last one is
    ///   synced, and with it those before.
    public func removeUser(_ user: String) throws(StorageError) {
        guard try beginRemoval(of: user) else { return }
        try finishRemoval(of: user)
    }

    /// Marks a user for removal. Returns false if there is no such user.
    package func beginRemoval(of user: String) throws(StorageError) -> Bool {
        let key = ServerNamespaces.user(user)
        return try root.transaction(durability: .synced) { (transaction) throws(StorageError) in
            guard var record = try transaction.value(forKey: key, in: names.users, as: UserRecord.self) else {
                return false
            }
            record.isRemoved = true
            try transaction.set(record, forKey: key, in: names.users, as: .json, options: ServerNamespaces.options)
            return true
        }
    }

    private func finishRemoval(of user: String) throws(StorageError) {
        let key = ServerNamespaces.user(user)
        var hasMore = true
        while hasMore {
            hasMore = try root.transaction { (transaction) throws(StorageError) in
                guard try isMarked(key, in: transaction) else { return false }
                return try removeStep(user, in: transaction)
            }
        }
        try root.transaction(durability: .synced) { (transaction) throws(StorageError) in
            guard try isMarked(key, in: transaction) else { return }
            try transaction.removeKey(key, in: names.users)
        }
    }

    private func isMarked(_ key: [UInt8], in transaction: borrowing Store.Transaction) throws(StorageError) -> Bool {
        try transaction.value(forKey: key, in: names.users, as: UserRecord.self)?.isRemoved == true
    }

    /// Removes a part of a user's data. Returns false if there was none.
    private func removeStep(
        _ user: String, in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> Bool {
        let prefix = ServerNamespaces.user(user)
        let records = try transaction[names.records].entries(prefix: prefix).array(limit: SyncServer.stepMax)
        for entry in records {
            let key = entry.key.bytes
            let record = try ServerRecord(try entry.value(as: [UInt8].self))
            if record.isTombstone {
                guard let address = SyncAddress(bytes: key[prefix.count...]) else {
                    throw .corruption("the key of a record is not valid")
                }
                try transaction.removeKey(
                    ServerNamespaces.tombstone(record.written, user, address), in: names.tombstones)
            }
            try transaction.removeKey(key, in: names.records)
        }
        var isEmpty = records.isEmpty
        for namespace in [names.log, names.clients, names.horizons] {
            let keys = try transaction[namespace].keys(prefix: prefix).array(limit: SyncServer.stepMax)
            for key in keys { try transaction.removeKey(key.bytes, in: namespace) }
            isEmpty = isEmpty && keys.isEmpty
        }
        return !isEmpty
    }

    /// Finishes removals that were interrupted. Returns their number.
    func finishRemovals() throws(StorageError) -> Int {
        var finished = 0
        let cursor = names.users.entries.cursor()
        while let entry = try cursor.next() {
            guard try entry.value(as: UserRecord.self).isRemoved == true else { continue }
            try finishRemoval(of: try ServerNamespaces.user(entry.key.bytes))
            finished += 1
        }
        return finished
    }
}
