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
        + "neither, its safest mode; MDB_NOTLS; MDB_APPEND in fillseq; no compression, no filters, no cache but the "
        + "page cache; a read transaction per thread, renewed for each read; mdb_env_sync when settling"

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

@safe
final class LMDBSession: PeerSession {
    private let environment: OpaquePointer
    private let database: MDB_dbi
    /// Read-only; reset between reads, so that it keeps no old pages alive.
    private let reader: OpaquePointer
    private let cursor: OpaquePointer

    init(_ environment: OpaquePointer, _ database: MDB_dbi) throws {
        unsafe self.environment = environment
        self.database = database
        var (transaction, opened): (OpaquePointer?, OpaquePointer?) = (nil, nil)
        try unsafe lmdb(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction))
        try unsafe lmdb(mdb_cursor_open(transaction, database, &opened))
        guard let transaction = unsafe transaction, let opened = unsafe opened else { throw BenchError("lmdb") }
        unsafe mdb_txn_reset(transaction)
        unsafe (reader, cursor) = (transaction, opened)
    }

    deinit {
        unsafe mdb_cursor_close(cursor)
        unsafe mdb_txn_abort(reader)
    }

    /// Runs `body` in a write transaction.
    @inline(__always)
    private func write(_ body: (OpaquePointer?) throws -> Void) throws {
        var transaction: OpaquePointer?
        try unsafe lmdb(mdb_txn_begin(environment, nil, 0, &transaction))
        do {
            try unsafe body(transaction)
        } catch {
            unsafe mdb_txn_abort(transaction)
            throw error
        }
        try unsafe lmdb(mdb_txn_commit(transaction))
    }

    @inline(__always)
    private func put(
        _ value: RawSpan, forKey key: RawSpan, _ transaction: OpaquePointer?, flags: UInt32 = 0
    ) throws {
        var (key, value) = unsafe (MDB_val(key), MDB_val(value))
        try unsafe lmdb(mdb_put(transaction, database, &key, &value, flags))
    }

    func put(_ value: RawSpan, forKey key: RawSpan) throws {
        try unsafe write { transaction in try unsafe put(value, forKey: key, transaction) }
    }

    func append(_ value: RawSpan, forKey key: RawSpan) throws {
        try unsafe write { transaction in
            try unsafe put(value, forKey: key, transaction, flags: UInt32(MDB_APPEND))
        }
    }

    func putBatch(_ fill: ((RawSpan, RawSpan) throws -> Void) throws -> Void) throws {
        try unsafe write { transaction in
            try fill { key, value in try unsafe put(value, forKey: key, transaction) }
        }
    }

    func get(_ key: RawSpan, _ body: (RawSpan) -> Void) throws -> Bool {
        try unsafe lmdb(mdb_txn_renew(reader))
        defer { unsafe mdb_txn_reset(reader) }
        return try find(key, body)
    }

    func multiget(_ keys: KeyGroup, _ body: (Int, RawSpan) -> Void) throws {
        try unsafe lmdb(mdb_txn_renew(reader))
        defer { unsafe mdb_txn_reset(reader) }
        for index in 0..<keys.count { _ = try find(keys[index]) { body(index, $0) } }
    }

    @inline(__always)
    private func find(_ key: RawSpan, _ body: (RawSpan) -> Void) throws -> Bool {
        var (key, value) = unsafe (MDB_val(key), MDB_val())
        let status = unsafe mdb_get(reader, database, &key, &value)
        guard status != MDB_NOTFOUND else { return false }
        try lmdb(status)
        unsafe body(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size).bytes)
        return true
    }

    func delete(_ key: RawSpan) throws {
        try unsafe write { transaction in
            var key = unsafe MDB_val(key)
            let status = unsafe mdb_del(transaction, database, &key, nil)
            if status != MDB_NOTFOUND { try lmdb(status) }
        }
    }

    func scan(
        from key: RawSpan, _ direction: ScanDirection, _ body: (RawSpan, RawSpan) throws -> Bool
    ) throws {
        try unsafe lmdb(mdb_txn_renew(reader))
        defer { unsafe mdb_txn_reset(reader) }
        try unsafe lmdb(mdb_cursor_renew(reader, cursor))
        var (found, value) = unsafe (MDB_val(key), MDB_val())
        let first = direction == .reversed ? MDB_LAST : key.byteCount == 0 ? MDB_FIRST : MDB_SET_RANGE
        let step = direction == .reversed ? MDB_PREV : MDB_NEXT
        var status = unsafe mdb_cursor_get(cursor, &found, &value, first)
        while status == 0 {
            let key = unsafe UnsafeRawBufferPointer(start: found.mv_data, count: found.mv_size)
            let bytes = unsafe UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
            guard try unsafe body(key.bytes, bytes.bytes) else { return }
            status = unsafe mdb_cursor_get(cursor, &found, &value, step)
        }
        if status != MDB_NOTFOUND { try lmdb(status) }
    }
}

extension MDB_val {
    /// Points to the span's bytes; valid as long as the span.
    @unsafe @inline(__always)
    init(_ span: RawSpan) {
        unsafe self = MDB_val(mv_size: span.byteCount, mv_data: UnsafeMutableRawPointer(mutating: span.characters))
    }
}
