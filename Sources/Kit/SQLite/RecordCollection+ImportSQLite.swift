#if SQLite
    import Foundation
    public import ShaleBase
    public import ShaleCollections

    extension RecordCollection {
        /// Imports the rows of a table or a view of the SQLite database at `path` as records.
        ///
        /// ```swift
        /// let report = try people.importSQLiteTable(
        ///     "person", at: "old.sqlite", columns: ["id": "pk", "name": "full_name"])
        /// ```
        /// | field | from |
        /// |---|---|
        /// | integer | INTEGER |
        /// | real | REAL; INTEGER that a `Double` holds |
        /// | text | TEXT |
        /// | binary | BLOB |
        /// | boolean | INTEGER 0 and 1 |
        /// | date | INTEGER and REAL: seconds since 1970; TEXT: ISO 8601 |
        /// | UUID | TEXT; BLOB of 16 bytes |
        /// | nil | NULL |
        ///
        /// The type of the stored value counts, not the declared type of the column. Each row is decoded and stored by
        /// itself, in place of a record with the same key if the key is a field, so a repeated import changes nothing
        /// then. Rows that are no records or break a constraint are left out and reported by their position. The rows
        /// are those of one moment; for databases that are in use or were left by a crash, see
        /// ``Shale/Store/Namespace/importSQLiteTable(_:at:keyColumn:valueColumn:replacing:)``.
        ///
        /// - Parameters:
        ///   - table: The name of the table or the view.
        ///   - path: The path of the database.
        ///   - columns: The columns of the fields that are imported, by the fields' names; `nil` means that every field
        ///     of the schema has a column of its name.
        ///   - options: Purgeability and expiry of the records.
        /// - Throws: `.invalidArgument` for a name that is no field, and for a missing table or column. Otherwise as
        ///   ``Shale/Store/Namespace/importSQLiteTable(_:at:keyColumn:valueColumn:replacing:)``. Imported records stay
        ///   after an error.
        /// - Complexity: O(rows). One row is in memory at a time.
        @discardableResult
        public func importSQLiteTable(
            _ table: String, at path: String, columns: [String: String]? = nil, options: ValueOptions = []
        ) throws(StorageError) -> RecordImportReport {
            for name in columns?.keys.sorted() ?? [] where !schema.fields.contains(where: { $0.name == name }) {
                throw .invalid("the collection has no field of this name field=\(name)")
            }
            var fields: [(name: String, kind: FieldKind, column: String)] = []
            for field in schema.fields {
                if let columns, columns[field.name] == nil { continue }
                fields.append((field.name, field.kind, columns?[field.name] ?? field.name))
            }
            guard !fields.isEmpty else { throw .invalid("no field has a column") }
            var run = RecordImport(self, options: options)
            try SQLiteTable(table, at: path, columns: fields.map(\.column)).forEachRow {
                (cells) throws(StorageError) in
                var values: [String: StructuredValue] = [:]
                for (field, cell) in zip(fields, cells) {
                    guard let value = cell.value(as: field.kind) else {
                        return try run.fail(
                            StorageError(.typeMismatch, "a cell is of another kind than its field field=\(field.name)"))
                    }
                    if value != .null { values[field.name] = value }
                }
                try run.take(.dictionary(values))
            }
            return run.report
        }
    }

    extension SQLiteCell {
        /// Returns the cell as a field of a kind; `nil` if it is of another one.
        fileprivate func value(as kind: FieldKind) -> StructuredValue? {
            switch (kind, self) {
            case (_, .null): .null
            case (.integer, .integer(let number)): .int(number)
            case (.real, .real(let number)): .double(number)
            case (.real, .integer(let number)): Double(exactly: number).map { .double($0) }
            case (.text, .text(let text)): .string(text)
            case (.binary, .blob(let bytes)): .data(bytes)
            case (.boolean, .integer(0)): .bool(false)
            case (.boolean, .integer(1)): .bool(true)
            case (.uuid, .text(let text)): UUID(uuidString: text).map { .string($0.uuidString) }
            case (.uuid, .blob(let bytes)): SQLiteCell.uuid(bytes).map { .string($0.uuidString) }
            case (.date, .integer(let seconds)): .date(Date(timeIntervalSince1970: Double(seconds)))
            case (.date, .real(let seconds)): .date(Date(timeIntervalSince1970: seconds))
            case (.date, .text(let text)): SQLiteCell.date(text).map { .date($0) }
            default: nil
            }
        }

        private static func uuid(_ bytes: Data) -> UUID? {
            let bytes = [UInt8](bytes)
            guard bytes.count == 16 else { return nil }
            return UUID(uuid: unsafe bytes.span.bytes.unsafeLoadUnaligned(as: uuid_t.self))
        }

        /// Reads a date as programs write it to SQLite: ISO 8601, with `T` or a space, with or without a time. A time
        /// without a zone is UTC, as SQLite's own functions take it.
        private static func date(_ text: String) -> Date? {
            let text = text.replacing(" ", with: "T", maxReplacements: 1)
            return DateText.date(text) ?? DateText.date(text + "Z")
        }
    }
#endif
