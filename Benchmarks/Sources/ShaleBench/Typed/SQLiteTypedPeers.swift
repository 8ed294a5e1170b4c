import Foundation
import GRDB
import SystemSQLite

/// SQLite with a table of text keys and values of SQLite's own types, and prepared statements.
final class SQLiteTypedPeer: TypedPeer {
    private struct Statements {
        let connection: SQLiteConnection
        let set: SQLiteStatement
        let get: SQLiteStatement
    }

    private let directory: String
    private let settings: PeerSettings
    private var opened = Opened<Statements>(by: "sqlite")

    init(path: String, settings: PeerSettings) {
        directory = path
        self.settings = settings
    }

    func open() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let connection = try SQLiteConnection(path: directory + "/settings.sqlite", isSynced: false, settings)
        try connection.execute("CREATE TABLE IF NOT EXISTS settings (k TEXT PRIMARY KEY, v) WITHOUT ROWID")
        opened.open(
            Statements(
                connection: connection,
                set: try connection.prepare(
                    "INSERT INTO settings VALUES (?1, ?2) ON CONFLICT (k) DO UPDATE SET v = excluded.v"),
                get: try connection.prepare("SELECT v FROM settings WHERE k = ?1")))
    }

    func close() throws { opened.close() }

    func flush() throws { try opened.content.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") }

    func set(_ value: TypedValue, forKey key: String) throws {
        let statement = try opened.content.set
        statement.bind(1, text: key)
        switch value {
        case .int(let value): unsafe sqlite3_bind_int64(statement.handle, 2, Int64(value))
        case .bool(let value): unsafe sqlite3_bind_int(statement.handle, 2, value ? 1 : 0)
        case .double(let value): unsafe sqlite3_bind_double(statement.handle, 2, value)
        case .text(let text): statement.bind(2, text: text)
        }
        try statement.run()
    }

    func value(forKey key: String, as kind: TypedValue.Kind) throws -> TypedValue? {
        let statement = try opened.content.get
        statement.bind(1, text: key)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return switch kind {
        case .int: .int(Int(unsafe sqlite3_column_int64(statement.handle, 0)))
        case .bool: .bool(unsafe sqlite3_column_int(statement.handle, 0) != 0)
        case .double: .double(unsafe sqlite3_column_double(statement.handle, 0))
        case .text: .text(unsafe String(decoding: statement.bytes(0), as: UTF8.self))
        }
    }
}

extension SQLiteStatement {
    /// Binds a copy of the text, because a string has no stable address.
    func bind(_ index: Int32, text: String) {
        let copy = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        unsafe sqlite3_bind_text(handle, index, text, Int32(text.utf8.count), copy)
    }
}

/// SQLite as Swift applications use it: GRDB's pool of connections, or its queue of one, with cached statements.
final class GRDBTypedPeer: TypedPeer {
    static let summary =
        "typed and records jobs: DatabasePool (WAL, synchronous NORMAL, its default; variant: DatabaseQueue with the "
        + "same), one write or read block per "
        + "operation, cached statements, page cache 512 MiB; GRDB 7.10.0 on the system's SQLite"

    private let directory: String
    private let settings: PeerSettings
    private var opened = Opened<any DatabaseWriter>(by: "grdb")

    private static let setSQL = "INSERT INTO settings VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET v = excluded.v"
    private static let getSQL = "SELECT v FROM settings WHERE k = ?"

    init(path: String, settings: PeerSettings) {
        directory = path
        self.settings = settings
    }

    /// Opens the pool or the queue of a database.
    static func open(_ path: String, _ settings: PeerSettings) throws -> any DatabaseWriter {
        settings.variant == .queue
            ? try DatabaseQueue(path: path, configuration: configuration(settings))
            : try DatabasePool(path: path, configuration: configuration(settings))
    }

    private static func configuration(_ settings: PeerSettings) -> Configuration {
        var configuration = Configuration()
        let cacheKibibytes = settings.cacheBytes >> 10
        configuration.journalMode = .wal
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA cache_size = -\(cacheKibibytes); PRAGMA synchronous = NORMAL")
        }
        return configuration
    }

    func open() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let database = try GRDBTypedPeer.open(directory + "/settings.sqlite", settings)
        try database.write { database in
            try database.execute(sql: "CREATE TABLE IF NOT EXISTS settings (k TEXT PRIMARY KEY, v) WITHOUT ROWID")
        }
        opened.open(database)
    }

    func close() throws {
        try opened.ifOpen?.close()
        opened.close()
    }

    func flush() throws { _ = try opened.content.writeWithoutTransaction { try $0.checkpoint(.truncate) } }

    func set(_ value: TypedValue, forKey key: String) throws {
        let argument: DatabaseValue =
            switch value {
            case .int(let value): value.databaseValue
            case .bool(let value): value.databaseValue
            case .double(let value): value.databaseValue
            case .text(let value): value.databaseValue
            }
        try opened.content.write { database in
            try database.cachedStatement(sql: GRDBTypedPeer.setSQL).execute(arguments: [key, argument])
        }
    }

    func value(forKey key: String, as kind: TypedValue.Kind) throws -> TypedValue? {
        try opened.content.read { database in
            let statement = try database.cachedStatement(sql: GRDBTypedPeer.getSQL)
            return switch kind {
            case .int: try Int.fetchOne(statement, arguments: [key]).map { .int($0) }
            case .bool: try Bool.fetchOne(statement, arguments: [key]).map { .bool($0) }
            case .double: try Double.fetchOne(statement, arguments: [key]).map { .double($0) }
            case .text: try String.fetchOne(statement, arguments: [key]).map { .text($0) }
            }
        }
    }
}
