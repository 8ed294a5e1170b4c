#if SQLite
    public import ShaleBase

    extension Namespace {
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
        /// the store, is a failure of its row. The import may run again, like the importers of `ShaleArchive`: keys
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
            try source.forEachRow { (key, value) throws(StorageError) in try rows.take(key, value) }
            return rows.run.report
        }
    }
#endif
