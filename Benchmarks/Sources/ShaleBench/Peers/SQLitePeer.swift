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
