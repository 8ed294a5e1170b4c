#if SQLite
    import GRDB
    import ShaleBase

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
