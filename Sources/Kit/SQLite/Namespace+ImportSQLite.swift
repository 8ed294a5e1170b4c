#if SQLite
    public import ShaleBase

    extension Namespace {
        /// Imports two columns of a table, or of a view, of the SQLite database at `path`: the keys and the values.
        ///
        /// | SQLite | as a key | as a value |
        /// |---|---|---|
        /// | INTEGER | its decimal digits | `Int64` |
        /// | REAL | none: the row is skipped | `Double` |
        /// | TEXT | its UTF-8 | `String` |
        /// | BLOB | its bytes | `Data` |
        /// | NULL | none: the row is skipped | none: the key is skipped |
        ///
        /// What counts is what a row holds, not what type the column was declared with. Of several rows with one key the
        /// first is imported and the others are skipped. Text that is not valid Unicode, and what is over a limit of the
        /// store, is that row's failure. It may run again, as the importers of `ShaleArchive`: what was imported is
        /// `unchanged` then, and a key that has got another value since is `skipped`, unless `replacing` says otherwise.
        ///
        /// The rows are those of one moment, those in a write-ahead log included, also while another program writes. Nothing
        /// is written to the database; only if a program died in the middle of a change, SQLite takes that change back, as
        /// whoever opens it next would, and beside a database with a write-ahead log it may leave its `-shm` and `-wal` files.
        ///
        /// Thrown are `.missing`; `.invalidArgument` for something that is no file, for a table or column that is not
        /// there, for a row above 64 MiB and for more than 2^22 rows (a view imports a part of a larger table);
        /// `.locked` when a writer does not let go for five seconds; `.corruption` for a damaged database, or a file
        /// that is none; `.ioFailure`; and errors that would hit every further key (`.noSpace`, `.readOnly`, `.closed`
        /// …). What had been imported stays. O(rows); the report, and the keys, are kept in memory.
        public func importSQLiteTable(
            _ table: String, at path: String, keyColumn: String, valueColumn: String, replacing: Bool = false
        ) throws(StorageError) -> ImportReport {
            let source = SQLiteTable(table, at: path, keyColumn: keyColumn, valueColumn: valueColumn)
            return try importTable(source, replacing: replacing)
        }

        /// The import, with the source's patience and the caller's limit.
        package func importTable(
            _ source: SQLiteTable, replacing: Bool, rowsMax: Int = SQLiteRows.rowsMax
        ) throws(StorageError) -> ImportReport {
            var rows = SQLiteRows(ImportRun(self, replacesOthers: replacing), rowsMax: rowsMax)
            try source.forEachRow { (key, value) throws(StorageError) in try rows.take(key, value) }
            return rows.run.report
        }
    }
#endif
