import SystemSQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// SQLite through its C interface with prepared statements and one connection per session.
final class SQLitePeer: Peer, @unchecked Sendable {
    static let summary =
        "one table WITHOUT ROWID, journal_mode WAL, synchronous NORMAL (fillsync: FULL), pages 4 KiB, page cache "
        + "512 MiB, mmap_size 1 GiB, checkpoint every 64 MiB, prepared statements, one transaction per commit, a "
        + "connection per thread; no compression"

    private let directory: String
    private let settings: PeerSettings
    private var connection: SQLiteConnection?

    init(path: String, settings: PeerSettings) {
        directory = path
        self.settings = settings
    }

    func open() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let connection = try SQLiteConnection(path: directory + "/bench.sqlite", isSynced: false, settings)
        try connection.execute("CREATE TABLE IF NOT EXISTS entries (k BLOB PRIMARY KEY, v BLOB NOT NULL) WITHOUT ROWID")
        self.connection = connection
    }

    func close() throws { connection = nil }

    func session(isSynced: Bool) throws -> any PeerSession {
        try SQLiteSession(SQLiteConnection(path: directory + "/bench.sqlite", isSynced: isSynced, settings))
    }

    func flush() throws { try connection?.execute("PRAGMA wal_checkpoint(TRUNCATE)") }

    var writeBufferBytesUsed: Int? { nil }

    func compact() throws -> Bool {
        try connection?.execute("VACUUM")
        try flush()
        return true
    }

    /// Deletes without a condition, which frees pages instead of deleting entries.
    func erase() throws {
        try connection?.execute("DELETE FROM entries")
        try flush()
    }
}

final class SQLiteSession: PeerSession {
    private let connection: SQLiteConnection
    private let putStatement: SQLiteStatement
    private let getStatement: SQLiteStatement
    private let deleteStatement: SQLiteStatement
    private let seekStatement: SQLiteStatement
    private let reverseStatement: SQLiteStatement
    private let beginStatement: SQLiteStatement
    private let beginReadStatement: SQLiteStatement
    private let commitStatement: SQLiteStatement

    init(_ connection: SQLiteConnection) throws {
        self.connection = connection
        putStatement = try connection.prepare(
            "INSERT INTO entries VALUES (?1, ?2) ON CONFLICT (k) DO UPDATE SET v = excluded.v")
        getStatement = try connection.prepare("SELECT v FROM entries WHERE k = ?1")
        deleteStatement = try connection.prepare("DELETE FROM entries WHERE k = ?1")
        seekStatement = try connection.prepare("SELECT k, v FROM entries WHERE k >= ?1 ORDER BY k")
        reverseStatement = try connection.prepare("SELECT k, v FROM entries ORDER BY k DESC")
        beginStatement = try connection.prepare("BEGIN IMMEDIATE")
        beginReadStatement = try connection.prepare("BEGIN")
        commitStatement = try connection.prepare("COMMIT")
    }

    func put(_ value: RawSpan, forKey key: RawSpan) throws {
        putStatement.bind(1, key)
        putStatement.bind(2, value)
        try putStatement.run()
    }

    func putBatch(_ fill: ((RawSpan, RawSpan) throws -> Void) throws -> Void) throws {
        try beginStatement.run()
        try fill { key, value in try put(value, forKey: key) }
        try commitStatement.run()
    }

    func get(_ key: RawSpan, _ body: (RawSpan) -> Void) throws -> Bool {
        getStatement.bind(1, key)
        defer { getStatement.reset() }
        guard try getStatement.step() else { return false }
        unsafe body(getStatement.bytes(0).bytes)
        return true
    }

    func multiget(_ keys: KeyGroup, _ body: (Int, RawSpan) -> Void) throws {
        try beginReadStatement.run()
        for index in 0..<keys.count { _ = try get(keys[index]) { body(index, $0) } }
        try commitStatement.run()
    }

    func delete(_ key: RawSpan) throws {
        deleteStatement.bind(1, key)
        try deleteStatement.run()
    }

    func scan(
        from key: RawSpan, _ direction: ScanDirection, _ body: (RawSpan, RawSpan) throws -> Bool
    ) throws {
        let statement = direction == .reversed ? reverseStatement : seekStatement
        if direction == .forward { statement.bind(1, key) }
        defer { statement.reset() }
        while try statement.step() {
            guard try unsafe body(statement.bytes(0).bytes, statement.bytes(1).bytes) else { return }
        }
    }
}
