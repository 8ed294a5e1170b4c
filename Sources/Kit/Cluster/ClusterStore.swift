import ShaleBase
public import ShalePlatform

/// Namespaces in a pool of a RADOS cluster, for data that outgrows one machine.
///
/// ```swift
/// var connection = ClusterConnection(pool: "shale")
/// connection.configuration = "/etc/ceph/ceph.conf"
/// let cluster = try await ClusterStore.open(connection)
/// let users = try await cluster.createNamespace("users", layout: ClusterLayout(shards: 64))
/// try await users.set(User(name: "Ada"), forKey: "u1")
/// await cluster.close()
/// ```
/// Any number of processes may use the same namespaces at once. A write that returned is on all replicas that are up.
/// Needs the package trait `RADOS` to connect. Safe from any task.
public final class ClusterStore: Sendable {
    let core: ClusterCore

    package init(_ pool: any ObjectPool, options: Options = .init()) throws(StorageError) {
        core = ClusterCore(
            pool: pool, codecs: try CodecTable(options.codecs), options: options, random: SystemRandom())
    }

    /// Ends the connection, after the operations in flight. Later calls throw `.closed`.
    public nonisolated(nonsending) func close() async { await core.pool.close() }

    /// Figures of this connection since it was opened.
    public var statistics: ClusterStatistics { core.counters.statistics }
}

extension ClusterStore {
    /// The options of a connection to a cluster.
    public struct Options: Sendable {
        /// The format of `Codable` values that are set without one. Default `.json`.
        public var codableFormat = CodableFormat.json
        /// The application's own codecs.
        public var codecs: [any CustomCodec] = []
        /// The keys and ciphers of encrypted values; `nil` serves those only that are not encrypted.
        ///
        /// A namespace that is made with encryption gets a random data key, which a key of the provider wraps. Keys and
        /// names are not encrypted.
        public var encryption: StoreEncryption?
        /// The clocks by which this client judges expiry.
        public var time: any TimeSource = SystemTime()
        /// The time by which the clocks of clients may differ. A removal pass leaves expired entries in place for that
        /// long. Default 5 minutes.
        public var clockTolerance: Duration = .seconds(300)
        /// The time after which a removal pass takes the object of a large value for that of a writer that died, if no
        /// entry names it. Default 1 hour, longer than any write takes.
        public var writeTolerance: Duration = .seconds(3600)

        public init() {}
    }
}

/// The shape of a namespace on a cluster. It is stored with the namespace and never changes.
public struct ClusterLayout: Sendable, Hashable {
    /// The number of shards, each of them one object: 1 … 65 536. At least one for 150 000 keys and for 700 MB; a
    /// cluster warns of objects with more than 200 000 keys or 1 GiB. Default 16.
    public var shards: Int
    /// The rule that divides keys into partitions. Default: each key is one.
    public var partitioning: ClusterPartitioning
    /// True if entries are purgeable unless their options say otherwise. Default false.
    public var isPurgeable: Bool
    /// True if values are encrypted unless their options say otherwise. Default false.
    public var isEncrypted: Bool
    /// The time until entries expire, unless their options say otherwise; `nil` means never.
    public var timeToLive: Duration?

    public init(
        shards: Int = 16, partitioning: ClusterPartitioning = .wholeKey, isPurgeable: Bool = false,
        isEncrypted: Bool = false, timeToLive: Duration? = nil
    ) {
        self.shards = shards
        self.partitioning = partitioning
        self.isPurgeable = isPurgeable
        self.isEncrypted = isEncrypted
        self.timeToLive = timeToLive
    }

    /// Throws `.invalidArgument` for a layout that can't be stored.
    func check() throws(StorageError) {
        guard 1...NamespaceRecord.shardsMax ~= shards else {
            throw .invalid("a namespace's shards are not in 1...\(NamespaceRecord.shardsMax) count=\(shards)")
        }
        if case .firstBytes(let count) = partitioning, !(1...255 ~= count) {
            throw .invalid("a partition's bytes are not in 1...255 count=\(count)")
        }
        if let timeToLive, timeToLive < .milliseconds(1) { throw .invalid("a time to live must be at least 1 ms") }
    }
}

/// The parts that the namespaces of a connection share.
final class ClusterCore: Sendable {
    let pool: any ObjectPool
    let codecs: CodecTable
    let options: ClusterStore.Options
    let counters = ClusterCounters()
    private let random: any RandomSource

    init(pool: any ObjectPool, codecs: CodecTable, options: ClusterStore.Options, random: any RandomSource) {
        self.pool = pool
        self.codecs = codecs
        self.options = options
        self.random = random
    }

    var now: Int64 { options.time.wallMilliseconds }

    /// Returns an id that no other has.
    func makeID() -> [UInt8] {
        var id: [UInt8] = []
        id.append(littleEndian: random.next())
        id.append(littleEndian: random.next())
        return id
    }

    nonisolated(nonsending) func write(_ object: ObjectName, _ change: ObjectChange) async throws(PoolFailure) {
        counters.note(.write)
        do throws(PoolFailure) {
            try await pool.write(object, change)
        } catch {
            counters.note(error)
            throw error
        }
    }

    nonisolated(nonsending) func read(
        _ object: ObjectName, _ query: ObjectQuery
    ) async throws(PoolFailure) -> ObjectContents {
        counters.note(.read)
        do throws(PoolFailure) {
            return try await pool.read(object, query)
        } catch {
            if error.kind != .differs { counters.note(error) }
            throw error
        }
    }
}
