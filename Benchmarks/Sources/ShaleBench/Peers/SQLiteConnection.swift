import SystemSQLite

/// A connection with the settings that the harness uses throughout.
@safe
final class SQLiteConnection {
    let handle: OpaquePointer

    static var version: String { unsafe String(cString: sqlite3_libversion()) }

    init(path: String, isSynced: Bool, _ settings: PeerSettings) throws {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let status = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard status == SQLITE_OK, let opened = unsafe opened else {
            unsafe sqlite3_close_v2(opened)
            throw BenchError("sqlite: \(path) could not be opened (\(status))")
        }
        unsafe handle = opened
        unsafe sqlite3_busy_timeout(opened, 60_000)
        let checkpointPages = settings.writeBufferBytes / 4096
        for pragma in [
            "page_size=4096", "journal_mode=WAL", "synchronous=\(isSynced ? "FULL" : "NORMAL")",
            "cache_size=-\(settings.cacheBytes >> 10)", "mmap_size=\(1 << 30)",
            "wal_autocheckpoint=\(checkpointPages)",
        ] {
            try execute("PRAGMA " + pragma)
        }
    }

    deinit { unsafe sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws {
        guard unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
    }

    func prepare(_ sql: String) throws -> SQLiteStatement {
        var statement: OpaquePointer?
        let status = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard status == SQLITE_OK, let statement = unsafe statement else { throw failure }
        return unsafe SQLiteStatement(statement, self)
    }

    var failure: BenchError { BenchError("sqlite: " + (unsafe String(cString: sqlite3_errmsg(handle)))) }
}

/// A prepared statement with up to two parameters.
@safe
final class SQLiteStatement {
    let handle: OpaquePointer
    private let connection: SQLiteConnection

    init(_ handle: OpaquePointer, _ connection: SQLiteConnection) {
        unsafe self.handle = handle
        self.connection = connection
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Binds bytes that must stay in place until ``reset()``.
    @inline(__always)
    func bind(_ index: Int32, _ bytes: RawSpan) {
        // A nil address would bind NULL, which equals nothing; an empty blob sorts before all others.
        guard bytes.byteCount > 0 else { return bindZeroBlob(index) }
        unsafe sqlite3_bind_blob(handle, index, bytes.characters, Int32(bytes.byteCount), nil)
    }

    private func bindZeroBlob(_ index: Int32) { unsafe sqlite3_bind_zeroblob(handle, index, 0) }

    /// Steps the statement. Returns true if there is a row, false at the end.
    @inline(__always)
    func step() throws -> Bool {
        let status = unsafe sqlite3_step(handle)
        if status == SQLITE_ROW { return true }
        guard status == SQLITE_DONE else { throw connection.failure }
        return false
    }

    @inline(__always)
    func reset() { unsafe sqlite3_reset(handle) }

    /// Runs a statement without result rows.
    @inline(__always)
    func run() throws {
        defer { reset() }
        _ = try step()
    }

    /// Returns a column's bytes, valid until the next step.
    @unsafe @inline(__always)
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = unsafe sqlite3_column_blob(handle, column)
        return unsafe UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }
}
