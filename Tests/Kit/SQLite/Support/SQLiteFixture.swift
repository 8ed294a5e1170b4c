#if SQLite
    import Foundation
    import GRDB
    import ShaleBase
    import ShaleSQLite
    import Testing

    /// A database to import and a store, in a directory that is removed with the fixture.
    final class SQLiteFixture {
        let path = FileManager.default.temporaryDirectory.path + "/shale-sqlite-\(UUID().uuidString)"
        let store: Store
        var namespace: Store.Namespace { store.common["n"] }
        var database: String { path + "/old.sqlite" }

        init() throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            store = try Store(at: path + "/store")
        }

        deinit {
            do {
                try store.close()
                try FileManager.default.removeItem(atPath: path)
            } catch {
                Issue.record("could not remove \(path): \(error)")
            }
        }

        /// Runs SQL in the database outside of a transaction. Creates the database if there is none.
        func run(_ sql: String) throws {
            let queue = try DatabaseQueue(path: database)
            try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
            try queue.close()
        }

        /// Imports the columns k and v of the table t.
        func importAll(
            _ place: String? = nil, table: String = "t", keys: String = "k", values: String = "v",
            replacing: Bool = false, timeoutSeconds: Double = 5
        ) throws(StorageError) -> [String] {
            let source = SQLiteTable(
                table, at: place ?? database, keyColumn: keys, valueColumn: values, timeoutSeconds: timeoutSeconds)
            return try namespace.importTable(source, replacing: replacing).entries.map(Self.line)
        }

        private static func line(_ entry: ImportReport.Entry) -> String {
            switch entry.outcome {
            case .imported: "\(entry.key) imported"
            case .unchanged: "\(entry.key) unchanged"
            case .skipped(let reason): "\(entry.key) skipped: \(reason)"
            case .failed(let error): "\(entry.key) failed: \(error.code.rawValue)"
            }
        }

        /// Returns the code of the error that the import throws; `nil` if it throws none.
        func importError(
            _ place: String? = nil, table: String = "t", keys: String = "k", values: String = "v",
            timeoutSeconds: Double = 5
        ) -> StorageError.Code? {
            do {
                _ = try importAll(
                    place, table: table, keys: keys, values: values, timeoutSeconds: timeoutSeconds)
                return nil
            } catch {
                return error.code
            }
        }
    }
#endif
