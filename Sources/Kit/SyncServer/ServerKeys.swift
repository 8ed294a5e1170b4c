import Shale
import ShaleBase
import ShaleSync

/// The namespaces of a server and the keys in them. On disk, do not change.
///
/// A store has at most 65 536 namespaces, so users share them: each key begins with the length of the user's id in two
/// bytes, and the id.
struct ServerNamespaces: Sendable {
    static let options: ValueOptions = [.notPurgeable, .neverExpires]

    /// User → ``UserRecord``. Every push reads and writes it, so pushes of one user follow each other.
    let users: Store.Namespace
    /// User, client → ``ClientEntry``.
    let clients: Store.Namespace
    /// User, address → ``ServerRecord``.
    let records: Store.Namespace
    /// User, collection, revision → the record's key. One entry for each record.
    let log: Store.Namespace
    /// Time of the deletion, user, address → nothing.
    let tombstones: Store.Namespace
    /// User, collection → the highest revision of a tombstone that was removed.
    let horizons: Store.Namespace

    init(_ root: Store.Namespace) {
        users = root.child("users")
        clients = root.child("clients")
        records = root.child("records")
        log = root.child("log")
        tombstones = root.child("tombstones")
        horizons = root.child("horizons")
    }

    static func user(_ user: String) -> [UInt8] {
        let id = Array(user.utf8)
        return [UInt8(truncatingIfNeeded: id.count >> 8), UInt8(truncatingIfNeeded: id.count)] + id
    }

    /// Parses the key of a user.
    static func user(_ key: [UInt8]) throws(StorageError) -> String {
        guard key.count > 2, Int(key[0]) << 8 | Int(key[1]) == key.count - 2 else {
            throw .corruption("the key of a user is not valid")
        }
        return String(decoding: key[2...], as: UTF8.self)
    }

    static func client(_ user: String, _ client: String) -> [UInt8] { self.user(user) + Array(client.utf8) }

    static func record(_ user: String, _ address: SyncAddress) -> [UInt8] { self.user(user) + address.bytes }

    static func collection(_ user: String, _ name: String) -> [UInt8] { self.user(user) + SyncAddress(name, []).bytes }

    static func log(_ user: String, _ collection: String, _ revision: Int64) -> [UInt8] {
        self.collection(user, collection) + [UInt8](bigEndian: UInt64(revision))
    }

    static func tombstone(_ written: Int64, _ user: String, _ address: SyncAddress) -> [UInt8] {
        [UInt8](bigEndian: UInt64(max(0, written))) + record(user, address)
    }

    /// Parses the key of a tombstone.
    static func tombstone(_ key: [UInt8]) throws(StorageError) -> (written: Int64, user: String, address: SyncAddress) {
        guard let written = UInt64(bigEndian: key), key.count > 10 else {
            throw .corruption("the key of a tombstone is not valid")
        }
        let length = Int(key[8]) << 8 | Int(key[9])
        guard key.count >= 10 + length, let address = SyncAddress(bytes: key[(10 + length)...]) else {
            throw .corruption("the key of a tombstone is not valid")
        }
        return (Int64(clamping: written), String(decoding: key[10..<10 + length], as: UTF8.self), address)
    }
}
