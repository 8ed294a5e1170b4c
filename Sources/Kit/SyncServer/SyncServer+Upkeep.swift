import Shale
public import ShaleBase
import ShaleSync

/// Removing what is old.
extension SyncServer {
    /// The numbers of what an upkeep has removed.
    public struct Upkeep: Sendable, Hashable {
        public var tombstones = 0
        public var clients = 0
        /// Removals of users that were interrupted, and are finished now.
        public var users = 0
    }

    static var stepMax: Int { 256 }

    /// Removes tombstones and last batches of clients that are older than their retention. Call it once a day.
    ///
    /// A cursor from before a removed tombstone is forgotten: its client resynchronises.
    ///
    /// - Complexity: O(removed + clients + users), in transactions of at most 256 removals.
    @discardableResult
    public func removeOutdated() throws(StorageError) -> Upkeep {
        var removed = Upkeep()
        let end = [UInt8](bigEndian: UInt64(max(0, trusted - options.tombstoneRetentionMilliseconds)))
        while true {
            let keys = try names.tombstones.keys.array(limit: SyncServer.stepMax).map(\.bytes)
                .filter { $0.lexicographicallyPrecedes(end) }
            guard !keys.isEmpty else { break }
            try root.transaction { (transaction) throws(StorageError) in
                for key in keys { try removeTombstone(key, in: transaction) }
            }
            removed.tombstones += keys.count
        }
        removed.clients = try removeClients()
        removed.users = try finishRemovals()
        return removed
    }

    private func removeTombstone(
        _ key: [UInt8], in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        let (written, user, address) = try ServerNamespaces.tombstone(key)
        try transaction.removeKey(key, in: names.tombstones)
        let recordKey = ServerNamespaces.record(user, address)
        guard let bytes = try transaction.storedBytes(recordKey, in: names.records) else { return }
        let record = try ServerRecord(bytes)
        guard record.isTombstone, record.written == written else { return }
        try transaction.removeKey(recordKey, in: names.records)
        try transaction.removeKey(
            ServerNamespaces.log(user, address.collection, record.version.revision), in: names.log)
        let horizonKey = ServerNamespaces.collection(user, address.collection)
        let horizon = try transaction.value(forKey: horizonKey, in: names.horizons, as: Int64.self) ?? 0
        try transaction.set(
            max(horizon, record.version.revision), forKey: horizonKey, in: names.horizons,
            options: ServerNamespaces.options)
    }

    private func removeClients() throws(StorageError) -> Int {
        let oldest = trusted - options.clientRetentionMilliseconds
        var removed = 0
        let cursor = names.clients.entries.cursor()
        while let entry = try cursor.next() {
            guard try ClientEntry(try entry.value(as: [UInt8].self)).seen < oldest else { continue }
            let key = entry.key.bytes
            let isRemoved = try root.transaction { (transaction) throws(StorageError) in
                guard let bytes = try transaction.storedBytes(key, in: names.clients),
                    try ClientEntry(bytes).seen < oldest
                else { return false }
                try transaction.removeKey(key, in: names.clients)
                return true
            }
            if isRemoved { removed += 1 }
        }
        return removed
    }

    /// Gives every user a new epoch. Call it after the store was put back from a backup: revisions that clients know
    /// are void then, so they resynchronise, and send what only they have.
    public func renewEpochs() throws(StorageError) {
        let cursor = names.users.keys.cursor()
        while let key = try cursor.next()?.bytes {
            try root.transaction(durability: .synced) { (transaction) throws(StorageError) in
                guard var record = try transaction.value(forKey: key, in: names.users, as: UserRecord.self) else {
                    return
                }
                record.epoch = random.identifier()
                try transaction.set(
                    record, forKey: key, in: names.users, as: .json, options: ServerNamespaces.options)
            }
        }
    }

    /// Returns what contradicts itself in the stored state: the log has one entry for each record, with its revision,
    /// and no revision is above the user's.
    ///
    /// - Complexity: O(records).
    package func problems() throws(StorageError) -> [String] {
        let moment = try root.snapshot()
        var problems: [String] = []
        let cursor = moment[names.records].entries.cursor()
        var count = 0
        while let entry = try cursor.next() {
            count += 1
            let (key, record) = (entry.key.bytes, try ServerRecord(try entry.value(as: [UInt8].self)))
            let length = Int(key[0]) << 8 | Int(key[1])
            let user = String(decoding: key[2..<2 + length], as: UTF8.self)
            guard let address = SyncAddress(bytes: key[(2 + length)...]) else {
                problems.append("a record has no address")
                continue
            }
            let logKey = ServerNamespaces.log(user, address.collection, record.version.revision)
            if try moment[names.log].bytes(forKey: logKey) != address.key {
                problems.append("the log lacks revision \(record.version.revision)")
            }
            let last = try moment[names.users].value(
                forKey: ServerNamespaces.user(user), as: UserRecord.self)?.revision
            if record.version.revision > last ?? 0 { problems.append("a revision is above the user's") }
        }
        let logged = try moment[names.log].count()
        if logged != count { problems.append("the log has \(logged) entries for \(count) records") }
        return problems
    }
}
