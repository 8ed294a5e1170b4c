#if SQLite
    import Foundation
    import GRDB
    import GRDBSQLite
    import ShaleArchive
    import ShaleBase

    /// Two columns of a table, or of a view, of a database that somebody else owns.
    package struct SQLiteTable {
        private let path: String
        private let name: String
        private let keyColumn: String
        private let valueColumn: String
        private let patienceSeconds: Double
        /// The longest row, and value on the way to one: SQLite asks for no more memory than that for it.
        private static let rowBytesMax: Int32 = 64 << 20

        /// `patienceSeconds`: how long a writer is waited for.
        package init(
            _ name: String, at path: String, keyColumn: String, valueColumn: String, patienceSeconds: Double = 5
        ) {
            self.name = name
            self.path = path
            self.keyColumn = keyColumn
            self.valueColumn = valueColumn
            self.patienceSeconds = patienceSeconds
        }

        /// Calls `body` with key and value of each row, all as of one moment. Errors as for
        /// ``Namespace/importSQLiteTable(_:at:keyColumn:valueColumn:replacing:)``, and what `body` throws.
        func forEachRow(_ body: (SQLiteCell, SQLiteCell) throws(StorageError) -> Void) throws(StorageError) {
            // SQLite would make a file that is missing, or take its name for something else than a file's.
            _ = try SourceFile.size(of: path)
            do {
                do {
                    try read(isReadOnly: true, body)
                } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK {
                    // A program died in the middle of a change. Nothing was read yet: SQLite has to take it back first.
                    try read(isReadOnly: false, body)
                }
            } catch let error as StorageError {
                throw error
            } catch let error as DatabaseError {
                throw StorageError(error, path)
            } catch {
                throw StorageError(.ioFailure, "a database can't be read", file: path, cause: error)
            }
        }

        private func read(
            isReadOnly: Bool, _ body: (SQLiteCell, SQLiteCell) throws(StorageError) -> Void
        ) throws {
            var configuration = Configuration()
            configuration.readonly = isReadOnly
            configuration.busyMode = .timeout(patienceSeconds)
            configuration.prepareDatabase { database in
                // The file may be anybody's: sizes in it are checked, its views call nothing that has effects.
                _ = unsafe sqlite3_limit(database.sqliteConnection, SQLITE_LIMIT_LENGTH, SQLiteTable.rowBytesMax)
                try database.execute(sql: "PRAGMA cell_size_check = ON")
                try database.execute(sql: "PRAGMA trusted_schema = OFF")
            }
            // Absolute: a name like ":memory:" means a file, too.
            let queue = try DatabaseQueue(path: URL(fileURLWithPath: path).path, configuration: configuration)
            try queue.read { database in
                let encoding =
                    try String.fetchOne(database, sql: "PRAGMA encoding")
                    .flatMap { SQLiteEncoding(rawValue: $0) } ?? .utf8
                let rows = try Row.fetchCursor(database, sql: query)
                while let row = try rows.next() {
                    try body(
                        SQLiteCell(row[1], isText: row[0], encoding), SQLiteCell(row[3], isText: row[2], encoding))
                }
            }
        }

        /// Columns are named with their table: SQLite may take a quoted name that is no column for a text.
        private var query: String {
            let key = SQLiteCell.expression("source." + SQLiteTable.quoted(keyColumn))
            let value = SQLiteCell.expression("source." + SQLiteTable.quoted(valueColumn))
            return "SELECT \(key), \(value) FROM \(SQLiteTable.quoted(name)) AS source"
        }

        private static func quoted(_ name: String) -> String {
            "\"" + name.replacing("\"", with: "\"\"") + "\""
        }
    }
#endif
