import SystemLMDB

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// LMDB: a B+tree in a mapped file, one writer at a time.
@safe
final class LMDBPeer: Peer, @unchecked Sendable {
    static let summary =
        "pages 4 KiB; unsynced: MDB_WRITEMAP and MDB_NOSYNC, so that a commit is in the page cache; synced (fillsync): "
        + "neither, its safest mode; MDB_NOTLS; no compression, no filters, no cache but the page cache; a read "
        + "transaction per thread, renewed for each read; mdb_env_sync when settling"

    static var version: String { "\(MDB_VERSION_MAJOR).\(MDB_VERSION_MINOR).\(MDB_VERSION_PATCH)" }

    /// The size of the address space and of the file; pages that were never written take no space.
    static let mapBytes = 64 << 30

    /// The flags of unsynced stores.
    static let flags = UInt32(MDB_NOTLS | MDB_WRITEMAP | MDB_NOSYNC)

    private let path: String
    private var environment: OpaquePointer?
    private var database: MDB_dbi = 0
    private var isOpenSynced = false

    init(path: String, settings: PeerSettings) { self.path = path }

    func open() throws { try open(isSynced: false) }

    private func open(isSynced: Bool) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        var opened: OpaquePointer?
        try unsafe lmdb(mdb_env_create(&opened))
        unsafe environment = opened
        try unsafe lmdb(mdb_env_set_mapsize(opened, LMDBPeer.mapBytes))
        try unsafe lmdb(mdb_env_open(opened, path, isSynced ? UInt32(MDB_NOTLS) : LMDBPeer.flags, 0o600))
        isOpenSynced = isSynced
        var transaction: OpaquePointer?
        try unsafe lmdb(mdb_txn_begin(opened, nil, 0, &transaction))
        try unsafe lmdb(mdb_dbi_open(transaction, nil, 0, &database))
        try unsafe lmdb(mdb_txn_commit(transaction))
    }

    func close() throws {
        guard let environment = unsafe environment else { return }
        if !isOpenSynced { try unsafe lmdb(mdb_env_sync(environment, 1)) }
        unsafe mdb_env_close(environment)
        unsafe self.environment = nil
    }

    func session(isSynced: Bool) throws -> any PeerSession {
        if isSynced != isOpenSynced {
            try close()
            try open(isSynced: isSynced)
        }
        guard let environment = unsafe environment else { throw BenchError("lmdb is closed") }
        return try unsafe LMDBSession(environment, database)
    }

    func flush() throws { try unsafe lmdb(mdb_env_sync(environment, 1)) }

    var writeBufferBytesUsed: Int? { nil }

    /// Returns false: LMDB can only compact into a copy.
    func compact() throws -> Bool { false }

    func erase() throws {
        var transaction: OpaquePointer?
        try unsafe lmdb(mdb_txn_begin(environment, nil, 0, &transaction))
        try unsafe lmdb(mdb_drop(transaction, database, 0))
        try unsafe lmdb(mdb_txn_commit(transaction))
        try flush()
    }
}

@inline(__always)
func lmdb(_ status: Int32) throws {
    guard status == 0 else { throw BenchError("lmdb: " + (unsafe String(cString: mdb_strerror(status)))) }
}
