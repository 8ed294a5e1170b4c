import Shale
package import ShaleBase
package import ShaleCollections

/// Figures for a user interface, and the limit of kept versions.
extension SyncEngine {
    /// The number of records with pending changes, not counting beyond a limit.
    package func pendingCount(atMost limit: Int = .max) throws(StorageError) -> Int {
        try collectChanges()
        guard limit != .max else { return try names.pending.count() }
        let cursor = outbox.cursor(in: names.pending)
        var count = 0
        while count < limit, try cursor.next() != nil { count += 1 }
        return count
    }

    /// True if the next cycle has a change to send, or one to look at.
    func hasChanges() throws(StorageError) -> Bool {
        for name in collectionNames {
            let prefix = SyncAddress(name, []).bytes
            guard try names.journal.keys(prefix: prefix).first() == nil else { return true }
        }
        return try names.pending.keys.first() != nil
    }

    /// True if a record has a change that the server has not confirmed.
    package func isPending(_ collection: String, _ key: RecordKey) throws(StorageError) -> Bool {
        try collectChanges()
        guard let bytes = try names.states(of: collection).bytes(forKey: key.bytes) else { return false }
        return try RecordState(bytes).isPending
    }

    /// The number of kept versions.
    package func keptCount() throws(StorageError) -> Int { try names.kept.count() }

    /// Removes the oldest kept versions beyond a number.
    func trimKept(to limit: Int) throws(StorageError) {
        let excess = try keptCount() - max(0, limit)
        guard excess > 0 else { return }
        for key in try names.kept.keys.array(limit: excess) { try names.kept.remove(key) }
    }
}
