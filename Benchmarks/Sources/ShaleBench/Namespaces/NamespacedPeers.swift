import ShaleEngine
import SystemLMDB

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The namespaces of Shale's engine.
final class ShaleNamespacedPeer: NamespacedPeer {
    private let path: String
    private let options: Engine.Options
    private var engine: Engine?
    private var namespaces: [NamespaceID] = []

    init(path: String, settings: PeerSettings) {
        self.path = path
        options = ShalePeer.options(settings)
    }

    private var opened: Engine {
        get throws {
            guard let engine else { throw BenchError("shale is closed") }
            return engine
        }
    }

    var memoryBudgetBytes: Int? { options.memoryBudget }

    func open() throws { engine = try Engine.open(at: path, options: options) }

    func close() throws {
        try engine?.close()
        engine = nil
    }

    func flush() throws { try opened.flush() }

    func create(_ count: Int) throws {
        let engine = try opened
        namespaces = try (0..<count).map { try engine.createNamespace(named: Array("namespace \($0)".utf8)) }
    }

    func put(_ value: RawSpan, forKey key: RawSpan, in namespace: Int) throws {
        try opened.put(value, forKey: key, in: namespaces[namespace])
    }

    func get(_ key: RawSpan, in namespace: Int, _ body: (RawSpan) -> Void) throws -> Bool {
        try opened.withValue(forKey: key, in: namespaces[namespace]) { value in body(value) } != nil
    }
}

/// The named databases of one LMDB environment, all open.
@safe
final class LMDBNamespacedPeer: NamespacedPeer {
    private let path: String
    private let count: Int
    private var environment: OpaquePointer?
    private var reader: OpaquePointer?
    private var databases: [MDB_dbi] = []

    init(path: String, count: Int) {
        self.path = path
        self.count = count
    }

    func open() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        var opened: OpaquePointer?
        try unsafe lmdb(mdb_env_create(&opened))
        unsafe environment = opened
        try unsafe lmdb(mdb_env_set_mapsize(opened, LMDBPeer.mapBytes))
        try unsafe lmdb(mdb_env_set_maxdbs(opened, UInt32(count)))
        try unsafe lmdb(mdb_env_open(opened, path, LMDBPeer.flags, 0o600))
    }

    func close() throws {
        guard let opened = unsafe environment else { return }
        unsafe mdb_txn_abort(reader)
        try unsafe lmdb(mdb_env_sync(opened, 1))
        unsafe mdb_env_close(opened)
        unsafe (environment, reader) = (nil, nil)
    }

    func flush() throws { try unsafe lmdb(mdb_env_sync(environment, 1)) }

    /// Creates them in one transaction, as LMDB's documentation recommends.
    func create(_ count: Int) throws {
        var transaction: OpaquePointer?
        try unsafe lmdb(mdb_txn_begin(environment, nil, 0, &transaction))
        for index in 0..<count {
            var database: MDB_dbi = 0
            try unsafe lmdb(mdb_dbi_open(transaction, "namespace \(index)", UInt32(MDB_CREATE), &database))
            databases.append(database)
        }
        try unsafe lmdb(mdb_txn_commit(transaction))
        try flush()
        try unsafe lmdb(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &reader))
        unsafe mdb_txn_reset(reader)
    }

    func put(_ value: RawSpan, forKey key: RawSpan, in namespace: Int) throws {
        var transaction: OpaquePointer?
        try unsafe lmdb(mdb_txn_begin(environment, nil, 0, &transaction))
        var (key, value) = unsafe (MDB_val(key), MDB_val(value))
        let status = unsafe mdb_put(transaction, databases[namespace], &key, &value, 0)
        if status != 0 { unsafe mdb_txn_abort(transaction) }
        try lmdb(status)
        try unsafe lmdb(mdb_txn_commit(transaction))
    }

    func get(_ key: RawSpan, in namespace: Int, _ body: (RawSpan) -> Void) throws -> Bool {
        try unsafe lmdb(mdb_txn_renew(reader))
        defer { unsafe mdb_txn_reset(reader) }
        var (key, value) = unsafe (MDB_val(key), MDB_val())
        let status = unsafe mdb_get(reader, databases[namespace], &key, &value)
        guard status != MDB_NOTFOUND else { return false }
        try lmdb(status)
        unsafe body(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size).bytes)
        return true
    }
}
