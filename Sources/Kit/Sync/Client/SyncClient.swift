public import Shale
import ShaleBase
public import ShaleCollections
import ShalePlatform

/// Keeps collections of a user's space in step with a server.
///
/// ```swift
/// let sync = try SyncClient(store.user(session.userID), transport: transport)
/// let todos = try sync.collection(ToDo.schema, onConflict: .fieldByField)
/// try await todos.insert(ToDo(id: UUID(), title: "Milk", isDone: false))
/// try await sync.synchronise()
/// ```
/// The collections are used as any other. Each change is stored together with a note that it is pending, in one
/// transaction, and sent later: nothing waits for the network. Changes of other devices appear as changes of the
/// collection, and queries that are observed answer again.
///
/// - **Which changes:** those through collections that ``collection(_:onConflict:onDifference:)`` returned, queries of
///   them included. Purges, expiry, truncations and drops remove what is here, and nothing at the server.
/// - **Conflicts** are merged by the collection's ``ConflictRule``. Versions that lose are kept.
/// - **One client for a space** in a process. A second one would send the same changes again.
/// - **Several users:** one client for each. A client keeps its space when the current user changes.
///
/// Everything may be called from any thread. The article "How synchronisation works" has the protocol and the
/// argument.
public final class SyncClient: Sendable {
    package let engine: SyncEngine
    let transport: any SyncTransport
    let options: SyncOptions
    let environment: SyncEnvironment
    let cycle = SyncCycle()
    private let space: Store.Space
    private let hub = StreamHub<SyncStatus>(.bufferingNewest(1))
    private let known = Locked(SyncStatus())

    /// Opens the synchronisation of a space, and creates its state if there is none. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - space: The user's space, or the common one. The state is in its namespaces below `.sync`.
    ///   - transport: Sends the calls with the user's credentials.
    ///   - options: The pace.
    /// - Throws: The errors of a transaction.
    public convenience init(
        _ space: Store.Space, transport: any SyncTransport, options: SyncOptions = SyncOptions()
    ) throws(StorageError) {
        try self.init(space, transport: transport, options: options, environment: SyncEnvironment())
    }

    package init(
        _ space: Store.Space, transport: any SyncTransport, options: SyncOptions = SyncOptions(),
        environment: SyncEnvironment
    ) throws(StorageError) {
        self.space = space
        self.transport = transport
        self.options = options
        self.environment = environment
        engine = try SyncEngine(space, time: environment.time, random: environment.random)
    }

    deinit { hub.finish() }

    /// Opens a collection of the space in the namespace `collections/NAME`, whose changes are sent and received.
    ///
    /// At the first call, records that the collection already has become pending.
    ///
    /// - Parameters:
    ///   - schema: The description. Its name is the collection's name at the server.
    ///   - rule: The way to merge changes that exclude each other.
    ///   - onDifference: See `RecordCollection.init(_:in:onDifference:)`.
    /// - Throws: `.invalidArgument` for a name over ``SyncLimits/nameBytes`` bytes, for a name that the client has
    ///   already, and for a unique constraint on another field than the key: two devices that are offline can't keep
    ///   one. Otherwise as opening a collection.
    /// - Complexity: O(records) at the first call, and O(1) later.
    public func collection<Record>(
        _ schema: RecordSchema<Record>, onConflict rule: ConflictRule<Record> = .lastWriter,
        onDifference: RecordCollection<Record>.SchemaChange = .refuse
    ) throws(StorageError) -> RecordCollection<Record> {
        guard 1...SyncLimits.nameBytes ~= schema.name.utf8.count else {
            throw .invalid("the name of a synchronised collection has 1 to \(SyncLimits.nameBytes) bytes")
        }
        guard !schema.hasUniqueConstraint else {
            throw .invalid("a synchronised collection can't have unique fields beside its key name=\(schema.name)")
        }
        let namespace = space["collections"].child(schema.name)
        let plain = try RecordCollection(schema, in: namespace, onDifference: onDifference)
        let synced = SyncedCollection(plain, rule, engine.names, engine.clock)
        try engine.add(synced)
        try engine.adoptRecords(of: synced, in: namespace)
        try engine.retryUnreadable(of: synced)
        return try RecordCollection(
            schema, in: namespace, onDifference: onDifference, random: environment.random, journal: synced)
    }

    /// Begins to pull all that the server has of a collection again, at the next cycle. For example after a purge, to
    /// bring purged records back.
    public func resynchronise(_ collection: String) throws(StorageError) {
        try engine.restart(collection, of: try engine.clientRecord().id)
    }

    // MARK: Status

    /// The present state.
    public var status: SyncStatus { known.withLock { $0 } }

    /// Returns the present state, and each later one. A slow reader gets the newest. The stream ends with the client.
    public func statuses() -> AsyncStream<SyncStatus> {
        let stream = hub.stream()
        hub.send(status)
        return stream
    }

    func change(_ body: (inout SyncStatus) -> Void) {
        let status = known.withLock { status in
            body(&status)
            return status
        }
        hub.send(status)
    }

    // MARK: Kept versions

    /// Returns conflicts and refusals in which a change was lost, the oldest first.
    ///
    /// - Parameters:
    ///   - id: The ``KeptVersion/id`` of the last one that the caller knows; 0 to begin.
    ///   - limit: The largest number.
    public func keptVersions(after id: UInt64 = 0, limit: Int = 100) throws(StorageError) -> [KeptVersion] {
        let scan = engine.names.kept.entries.after([UInt8](bigEndian: id))
        var versions: [KeptVersion] = []
        for entry in try scan.array(limit: limit) {
            guard let id = UInt64(bigEndian: entry.key.bytes) else { throw .corruption("a kept version has no id") }
            versions.append(try entry.value(as: KeptRecord.self).version(id: id))
        }
        return versions
    }

    /// Removes a kept version. Does nothing if there is none.
    public func removeKeptVersion(_ id: UInt64) throws(StorageError) {
        try engine.names.kept.remove([UInt8](bigEndian: id))
    }
}

extension RecordSchema {
    /// True if a field other than the primary key, or an index, is unique.
    fileprivate var hasUniqueConstraint: Bool {
        indexes.contains { $0.isUnique } || fields.contains { $0.constraint.isUnique && !isKey($0) }
    }
}
