import Shale
import ShaleBase
import ShaleSync

/// The place to which a client has read a collection.
///
/// Its text is `EPOCH.POSITION`, and during a first or a repeated synchronisation `EPOCH.POSITION.START`. Clients keep
/// it as it is.
struct SyncCursor: Sendable, Hashable {
    var epoch: String
    /// The revision up to which everything was sent.
    var position: Int64
    /// The user's revision when reading began at 0; 0 if the client has been at the end since. Deletions up to there
    /// concern no record that the client has been sent.
    var start: Int64 = 0

    init(epoch: String, position: Int64, start: Int64 = 0) {
        self.epoch = epoch
        self.position = position
        self.start = start
    }

    /// Parses a text, which anybody may have sent; `nil` if it is no cursor.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard 2...3 ~= parts.count, let position = Int64(parts[1]), position >= 0 else { return nil }
        epoch = String(parts[0])
        self.position = position
        guard parts.count == 3 else { return }
        guard let start = Int64(parts[2]), start >= 0 else { return nil }
        self.start = start
    }

    var text: String { "\(epoch).\(position)" + (start > 0 ? ".\(start)" : "") }
}

/// Pages of changes, each read at one moment.
extension SyncServer {
    func pull(_ request: PullRequest, _ user: String) throws(StorageError) -> SyncReply {
        let key = ServerNamespaces.user(user)
        if try !names.users.contains(key) {
            try root.transaction(durability: .synced) { (transaction) throws(StorageError) in
                _ = try userRecord(user, in: transaction)
            }
        }
        let moment = try root.snapshot()
        guard let record = try moment[names.users].value(forKey: key, as: UserRecord.self) else {
            return SyncServer.failure(503, "busy", "the user was removed meanwhile")
        }
        guard record.isRemoved != true else { return SyncServer.isRemoved }
        var page = PullReply(time: now, epoch: record.epoch, collections: [])
        var room = Room()
        for collection in request.collections where !room.isUsed {
            page.collections.append(try answer(collection, record, user, &room, at: moment))
        }
        return SyncReply(status: 200, body: page.encoded)
    }

    /// The room that is left in a page.
    private struct Room {
        var changes = SyncLimits.changes
        var bytes = SyncLimits.batchBytes
        var isUsed: Bool { changes <= 0 || bytes <= 0 }
    }

    private func answer(
        _ collection: PullRequest.Collection, _ record: UserRecord, _ user: String, _ room: inout Room,
        at moment: Store.Snapshot
    ) throws(StorageError) -> PullReply.Collection {
        let forgotten = PullReply.Collection(name: collection.name, cursor: nil, hasMore: true, changes: [])
        var cursor = SyncCursor(epoch: record.epoch, position: 0, start: record.revision)
        if let text = collection.cursor {
            guard let known = SyncCursor(text), known.epoch == record.epoch, known.position <= record.revision else {
                return forgotten
            }
            cursor = known
            let prefix = ServerNamespaces.collection(user, collection.name)
            let horizon = try moment[names.horizons].value(forKey: prefix, as: Int64.self) ?? 0
            guard horizon <= max(cursor.position, cursor.start) || PlantedBug.isActive(.forgetHorizon) else {
                return forgotten
            }
        }
        var changes: [PullReply.Change] = []
        let prefix = ServerNamespaces.collection(user, collection.name)
        let scan = moment[names.log].entries(prefix: prefix)
            .after(ServerNamespaces.log(user, collection.name, cursor.position)).cursor()
        while !room.isUsed, let entry = try scan.next() {
            guard let revision = UInt64(bigEndian: entry.key.bytes.dropFirst(prefix.count)) else {
                throw .corruption("an entry of the log has no revision")
            }
            let key = try entry.value(as: [UInt8].self)
            let address = SyncAddress(collection.name, key)
            cursor.position = Int64(clamping: revision)
            guard let bytes = try moment[names.records].bytes(forKey: ServerNamespaces.record(user, address)) else {
                throw .corruption("the log names a record that is missing")
            }
            let version = try ServerRecord(bytes).version
            if version.document == nil, version.revision <= cursor.start { continue }
            changes.append(PullReply.Change(key: key, version: version))
            room.changes -= 1
            room.bytes -= 256 + 2 * key.count + (version.document?.count ?? 0)
        }
        let hasMore = room.isUsed && !PlantedBug.isActive(.cutPage)
        if !hasMore { cursor = SyncCursor(epoch: record.epoch, position: record.revision) }
        return PullReply.Collection(name: collection.name, cursor: cursor.text, hasMore: hasMore, changes: changes)
    }
}
