import Foundation
import GRDB

/// SQLite as Swift applications use it: GRDB's pool of connections, with cached statements.
final class GRDBTypedPeer: TypedPeer {
    static let summary =
        "typed job only: DatabasePool (WAL, synchronous NORMAL, its default), one write or read block per operation, "
        + "cached statements, page cache 512 MiB; GRDB 7.10.0 on the system's SQLite"

    private let directory: String
    private let settings: PeerSettings
    private var pool: DatabasePool?

    private static let setSQL = "INSERT INTO settings VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET v = excluded.v"
    private static let getSQL = "SELECT v FROM settings WHERE k = ?"

    init(path: String, settings: PeerSettings) {
        directory = path
        self.settings = settings
    }

    private var opened: DatabasePool {
        get throws {
            guard let pool else { throw BenchError("grdb is closed") }
            return pool
        }
    }

    func open() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        var configuration = Configuration()
        let cacheKibibytes = settings.cacheBytes >> 10
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA cache_size = -\(cacheKibibytes)")
        }
        let pool = try DatabasePool(path: directory + "/settings.sqlite", configuration: configuration)
        try pool.write { database in
            try database.execute(sql: "CREATE TABLE IF NOT EXISTS settings (k TEXT PRIMARY KEY, v) WITHOUT ROWID")
        }
        self.pool = pool
    }

    func close() throws {
        try pool?.close()
        pool = nil
    }

    func flush() throws { _ = try opened.writeWithoutTransaction { try $0.checkpoint(.truncate) } }

    func set(_ value: TypedValue, forKey key: String) throws {
        let argument: DatabaseValue =
            switch value {
            case .int(let value): value.databaseValue
            case .bool(let value): value.databaseValue
            case .double(let value): value.databaseValue
            case .text(let value): value.databaseValue
            }
        try opened.write { database in
            try database.cachedStatement(sql: GRDBTypedPeer.setSQL).execute(arguments: [key, argument])
        }
    }

    func value(forKey key: String, as kind: TypedValue.Kind) throws -> TypedValue? {
        try opened.read { database in
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
