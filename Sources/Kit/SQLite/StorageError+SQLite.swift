#if SQLite
    import GRDB
    import ShaleBase

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
