#if SQLite
    import GRDB
    public import ShaleBase

    extension Store.Namespace {
        /// Imports two columns, the keys and the values, of a table or a view of the SQLite database at `path`.
        ///
        /// | SQLite | as a key | as a value |
        /// |---|---|---|
        /// | INTEGER | its decimal digits | `Int64` |
        /// | REAL | none: the row is skipped | `Double` |
        /// | TEXT | its UTF-8 | `String` |
        /// | BLOB | its bytes | `Data` |
        /// | NULL | none: the row is skipped | none: the key is skipped |
        ///
        /// The type of the stored value counts, not the declared type of the column. Of several rows with one key the
        /// first is imported and the others are skipped. Text that is not valid Unicode, and anything over a limit of
        /// the store, is a failure of its row. The import may run again, like the importers of `ShaleFoundation`: keys
        /// imported before are then `unchanged`, and keys with another value are `skipped` unless `replacing` is true.
        ///
        /// The rows are those of one moment, including rows in a write-ahead log, even if another program writes.
        /// Nothing is written to the database, with one exception: if a program died in the middle of a change, SQLite
        /// rolls that change back, as at any next opening. Beside a database with a write-ahead log SQLite may leave
        /// its `-shm` and `-wal` files.
        ///
        /// Keys imported before an error stay.
        ///
        /// - Throws: `.missing`; `.invalidArgument` for anything but a regular file, for a missing table or column, for
        ///   a row above 64 MiB and for more than 2^22 rows (a view imports a part of a larger table); `.locked` if a
        ///   writer holds its lock for more than 5 s; `.corruption` for a damaged database or another kind of file;
        ///   `.ioFailure`; errors that would affect every further key (`.noSpace`, `.readOnly`, `.closed` …).
        /// - Complexity: O(rows). The report and the keys are kept in memory.
        public func importSQLiteTable(
            _ table: String, at path: String, keyColumn: String, valueColumn: String, replacing: Bool = false
        ) throws(StorageError) -> ImportReport {
            let source = SQLiteTable(table, at: path, keyColumn: keyColumn, valueColumn: valueColumn)
            return try importTable(source, replacing: replacing)
        }

        /// Imports a table with the source's time limit and the caller's limit of rows.
        package func importTable(
            _ source: SQLiteTable, replacing: Bool, rowsMax: Int = SQLiteRows.rowsMax
        ) throws(StorageError) -> ImportReport {
            var rows = SQLiteRows(ImportRun(self, replacesOthers: replacing), rowsMax: rowsMax)
            try source.forEachRow { (cells) throws(StorageError) in try rows.take(cells[0], cells[1]) }
            return rows.run.report
        }
    }

    /// Imports the rows of a table, one after the other.
    package struct SQLiteRows {
        private(set) var run: ImportRun
        /// The maximum number of rows: with more, the report and the keys would take more than 0.5 GiB. A small table
        /// can't have as many, but a view can.
        package static let rowsMax = 1 << 22

        private let rowsMax: Int
        private var count = 0
        private var keys: Set<EntryKey> = []

        init(_ run: ImportRun, rowsMax: Int) {
            self.run = run
            self.rowsMax = rowsMax
        }

        mutating func take(_ key: SQLiteCell, _ value: SQLiteCell) throws(StorageError) {
            count += 1
            guard count <= rowsMax else {
                throw StorageError(.invalidArgument, "the table has more than \(rowsMax) rows")
            }
            let name = "row \(count)"
            switch key {
            case .null: run.skip(name, "its key is NULL")
            case .real: run.skip(name, "its key is a REAL, which has no exact text")
            case .invalidText: run.fail(name, SQLiteCell.notUnicode)
            case .integer(let number): try take(value, EntryKey(String(number)))
            case .text(let text): try take(value, EntryKey(text))
            case .blob(let bytes): try take(value, EntryKey([UInt8](bytes)))
            }
        }

        private mutating func take(_ value: SQLiteCell, _ key: EntryKey) throws(StorageError) {
            // Without this check, two rows would replace each other at every import.
            guard keys.insert(key).inserted else { return run.skip(key.description, "another row has the same key") }
            switch value {
            case .null: try run.take(.null, key)
            case .integer(let number): try run.take(.int(number), key)
            case .real(let number): try run.take(.double(number), key)
            case .text(let text): try run.take(.string(text), key)
            case .blob(let bytes): try run.take(.data(bytes), key)
            case .invalidText: run.fail(key.description, SQLiteCell.notUnicode)
            }
        }
    }

    extension StorageError {
        /// Converts SQLite's error for the database at `path`.
        init(_ error: DatabaseError, _ path: String) {
            let code: StorageError.Code =
                switch error.resultCode {
                case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corruption
                case .SQLITE_BUSY, .SQLITE_LOCKED: .locked
                // The query is fixed, so this means that the table or a column is missing.
                case .SQLITE_ERROR: .invalidArgument
                // A row above the limit.
                case .SQLITE_TOOBIG: .invalidArgument
                default: .ioFailure
                }
            let reason = error.message ?? "SQLite's error \(error.extendedResultCode.rawValue)"
            self.init(code, "a table can't be imported: \(reason)", file: path, cause: error)
        }
    }
#endif
