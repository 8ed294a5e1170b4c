import Shale
import ShaleBase
import Synchronization

/// The namespaces of a client in the space of its user, and the keys in them. On disk, do not change.
final class SyncSpace: Sendable {
    /// Nothing here may be purged or expire: records depend on it.
    static let options: ValueOptions = [.notPurgeable, .neverExpires]

    let root: Store.Namespace
    /// The client, the collections and the batch in flight.
    let meta: Store.Namespace
    /// Changes that no cycle has collected yet, under the addresses of their records.
    let journal: Store.Namespace
    /// The outbox. A key for each record with a collected change that the server has not confirmed: order, then
    /// address.
    let pending: Store.Namespace
    /// Versions that lost a conflict, in the order in which they did.
    let kept: Store.Namespace
    private let nextOrder = Atomic<UInt64>(0)
    private let noted = Atomic<UInt64>(0)

    static let client = "client"
    static let flight = "flight"
    static let request = "request"

    init(_ space: Store.Space) {
        root = space[".sync"]
        meta = root.child("meta")
        journal = root.child("journal")
        pending = root.child("pending")
        kept = root.child("kept")
    }

    /// Begins the orders of an opening of the space. Those of earlier openings are below.
    func beginOrders(opening: UInt32) { nextOrder.store(UInt64(opening) << 32, ordering: .relaxed) }

    /// The states of the records of a collection, under their keys.
    func states(of collection: String) -> Store.Namespace { root.child("state").child(collection) }

    /// Versions of records that don't decode here, under the keys of the records.
    func unreadable(of collection: String) -> Store.Namespace { root.child("unreadable").child(collection) }

    static func collection(_ name: String) -> String { "collection/" + name }

    /// Returns a number above those of all changes so far. Equal orders would be harmless: keys also have the address.
    func order() -> UInt64 { nextOrder.wrappingAdd(1, ordering: .relaxed).oldValue }

    /// The number of changes that were noted since the space was opened. It rises before the change is committed.
    var changesNoted: UInt64 { noted.load(ordering: .acquiring) }

    func countChange() { noted.wrappingAdd(1, ordering: .releasing) }

    static func pendingKey(_ order: UInt64, _ address: SyncAddress) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(9 + address.collection.utf8.count + address.key.count)
        key.append(bigEndian: order)
        address.append(to: &key)
        return key
    }

    /// Parses the key of a pending change.
    static func pendingChange(_ key: [UInt8]) throws(StorageError) -> (order: UInt64, address: SyncAddress) {
        guard let order = UInt64(bigEndian: key), let address = SyncAddress(bytes: key[8...]) else {
            throw .corruption("the key of a pending change is not valid")
        }
        return (order, address)
    }
}

extension Store.Transaction {
    func state(_ key: [UInt8], in states: Store.Namespace) throws(StorageError) -> RecordState? {
        var state: RecordState?
        try readBytes(key, in: states) { (stored) throws(StorageError) in state = try RecordState(stored) }
        return state
    }

    func journalEntry(_ key: [UInt8], in journal: Store.Namespace) throws(StorageError) -> JournalEntry? {
        var entry: JournalEntry?
        try readBytes(key, in: journal) { (stored) throws(StorageError) in entry = try JournalEntry(stored) }
        return entry
    }

    /// Stores a state, or removes it if it says nothing.
    func setState(
        _ state: RecordState?, _ key: [UInt8], in states: Store.Namespace, _ options: ValueOptions
    ) throws(StorageError) {
        guard let state else { return try removeKey(key, in: states) }
        try setBytes(state.bytes, forKey: key, in: states, options: options)
    }
}
