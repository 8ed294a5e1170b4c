#if SQLite
    import Foundation
    import GRDB
    import GRDBSQLite
    import ShaleFoundation
    import ShaleBase

    /// Columns of a table, or of a view, of another program's database.
    package struct SQLiteTable {
        private let path: String
        private let name: String
        private let columns: [String]
        private let timeoutSeconds: Double
        /// The maximum size of a row and of the values it is computed from. SQLite allocates no more memory for one.
        private static let rowBytesMax: Int32 = 64 << 20

        package init(
            _ name: String, at path: String, keyColumn: String, valueColumn: String, timeoutSeconds: Double = 5
        ) {
            self.init(name, at: path, columns: [keyColumn, valueColumn], timeoutSeconds: timeoutSeconds)
        }

        /// `timeoutSeconds`: the maximum time to wait for a writer.
        init(_ name: String, at path: String, columns: [String], timeoutSeconds: Double = 5) {
            self.name = name
            self.path = path
            self.columns = columns
            self.timeoutSeconds = timeoutSeconds
        }

        /// Calls `body` with the cells of each row in the order of the columns, all as of one moment. Throws the errors
        /// of ``Store/Namespace/importSQLiteTable(_:at:keyColumn:valueColumn:replacing:)`` and of `body`.
        func forEachRow(_ body: ([SQLiteCell]) throws(StorageError) -> Void) throws(StorageError) {
            // SQLite would create a missing file, or interpret its name as something else.
            _ = try SourceFile.size(of: path)
            do {
                do {
                    try read(isReadOnly: true, body)
                } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK {
                    // A program died in the middle of a change. Nothing has been read yet; SQLite has to roll the
                    // change back first.
                    try read(isReadOnly: false, body)
                }
            } catch let error as StorageError {
                throw error
            } catch let error as DatabaseError {
                throw StorageError(error, path)
            } catch {
                throw StorageError(.ioFailure, "the database can't be read", file: path, cause: error)
            }
        }

        private func read(
            isReadOnly: Bool, _ body: ([SQLiteCell]) throws(StorageError) -> Void
        ) throws {
            var configuration = Configuration()
            configuration.readonly = isReadOnly
            configuration.busyMode = .timeout(timeoutSeconds)
            configuration.prepareDatabase { database in
                // The file may be hostile: sizes in it are checked, and its views can't call functions with side
                // effects.
                _ = unsafe sqlite3_limit(database.sqliteConnection, SQLITE_LIMIT_LENGTH, SQLiteTable.rowBytesMax)
                try database.execute(sql: "PRAGMA cell_size_check = ON")
                try database.execute(sql: "PRAGMA trusted_schema = OFF")
            }
            // An absolute path, so that a name such as ":memory:" means a file.
            let queue = try DatabaseQueue(path: URL(fileURLWithPath: path).path, configuration: configuration)
            try queue.read { database in
                let encoding =
                    try String.fetchOne(database, sql: "PRAGMA encoding")
                    .flatMap { SQLiteEncoding(rawValue: $0) } ?? .utf8
                let rows = try Row.fetchCursor(database, sql: query)
                while let row = try rows.next() {
                    try body(
                        columns.indices.map { SQLiteCell(row[2 * $0 + 1], isText: row[2 * $0], encoding) })
                }
            }
        }

        /// Columns are qualified with their table: SQLite may take a quoted name that is no column for a text.
        private var query: String {
            let cells = columns.map { SQLiteCell.expression("source." + SQLiteTable.quoted($0)) }
            return "SELECT \(cells.joined(separator: ", ")) FROM \(SQLiteTable.quoted(name)) AS source"
        }

        private static func quoted(_ name: String) -> String {
            "\"" + name.replacing("\"", with: "\"\"") + "\""
        }
    }

    /// The value of a row in a column: one of SQLite's storage classes.
    enum SQLiteCell {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob(Data)
        /// A TEXT that is not valid in the database's encoding.
        case invalidText

        static var notUnicode: StorageError { StorageError(.corruption, "a TEXT value is not valid Unicode") }

        /// Returns an SQL expression whose result ``init(_:isText:_:)`` takes. TEXT is read as bytes: GRDB would cut it
        /// at its first NUL and replace invalid characters.
        static func expression(_ column: String) -> String {
            "typeof(\(column)) = 'text', CASE typeof(\(column)) WHEN 'text' THEN CAST(\(column) AS BLOB) ELSE "
                + "\(column) END"
        }

        init(_ value: DatabaseValue, isText: Bool, _ encoding: SQLiteEncoding) {
            switch value.storage {
            case .null: self = .null
            case .int64(let number): self = .integer(number)
            case .double(let number): self = .real(number)
            case .string(let text): self = .text(text)
            case .blob(let bytes):
                if isText {
                    self = encoding.text(bytes).map { .text($0) } ?? .invalidText
                } else {
                    self = .blob(bytes)
                }
            }
        }
    }

    /// The encoding of a database's TEXT, as named by `PRAGMA encoding`.
    enum SQLiteEncoding: String {
        case utf8 = "UTF-8"
        case utf16LittleEndian = "UTF-16le"
        case utf16BigEndian = "UTF-16be"

        /// Returns the text of the bytes; `nil` if they are not valid in this encoding.
        func text(_ bytes: Data) -> String? {
            guard self != .utf8 else { return String(validating: bytes, as: UTF8.self) }
            guard bytes.count.isMultiple(of: 2) else { return nil }
            let bytes = [UInt8](bytes)
            let (high, low) = self == .utf16BigEndian ? (0, 1) : (1, 0)
            let units = stride(from: 0, to: bytes.count, by: 2).map {
                UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + low])
            }
            return String(validating: units, as: UTF16.self)
        }
    }
#endif
