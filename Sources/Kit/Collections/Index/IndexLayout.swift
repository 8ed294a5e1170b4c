import Shale
import ShaleBase

/// An index of a checked schema.
struct IndexLayout: Sendable {
    let name: String
    let columns: [(field: Int, isDescending: Bool)]
    let isUnique: Bool
    /// The functions that read the columns of a record.
    private let elements: [@Sendable (RecordAddress) -> CompositeKey.Element]
    /// The columns in a compact document; `nil` if only the record type can read one of them.
    private let documentColumns: [DocumentColumn]?
    /// `nil` if the index contains values.
    private var hasher: ColumnHasher?

    private struct DocumentColumn: Sendable {
        /// The name of the field.
        let name: [UInt8]
        let element: FieldLayout.DocumentReader
        /// True if the field is a text. Then the bytes of a text in a document are those of the field's value.
        let isText: Bool
    }

    init(name: String, columns: [(field: Int, isDescending: Bool)], isUnique: Bool, fields: [FieldLayout]) {
        self.name = name
        self.columns = columns
        self.isUnique = isUnique
        elements = columns.map { fields[$0.field].element }
        let readable = columns.compactMap { (column) -> DocumentColumn? in
            let field = fields[column.field]
            return field.documentElement.map {
                DocumentColumn(name: Array(field.name.utf8), element: $0, isText: field.kind == .text)
            }
        }
        documentColumns = readable.count == columns.count ? readable : nil
    }

    /// True if the entries of most records can be made of their documents alone.
    var readsDocuments: Bool { documentColumns != nil }

    /// True if the index contains keyed hashes. It then serves equality, and no ranges and no order.
    var isKeyed: Bool { hasher != nil }

    /// Returns the same index with keyed hashes in place of values.
    func hashing(with hasher: ColumnHasher) -> IndexLayout {
        var layout = self
        layout.hasher = hasher
        return layout
    }

    /// True if the primary keys behind the columns are inverted: if the last column is descending, so that reading the
    /// index in either direction orders records with equal columns as the last column does.
    var invertsPrimary: Bool { !isKeyed && columns[columns.count - 1].isDescending }

    /// Appends the value of a column to a key.
    func append(_ element: CompositeKey.Element, column: Int, to key: inout IndexKey) {
        if let hasher {
            key.append(hash: hasher.hash(element, column: column), isNull: element == .null)
        } else {
            key.append(element, isDescending: columns[column].isDescending)
        }
    }

    /// Returns the keys in which a column behind `base` equals a value.
    func equalKey(_ base: [UInt8], _ value: CompositeKey.Element, column: Int) -> [UInt8] {
        var key = IndexKey(base)
        append(value, column: column, to: &key)
        return key.bytes
    }

    /// True if two records agree in all columns, as a unique index understands it.
    func hasEqualColumns(_ a: RecordAddress, _ b: RecordAddress) -> Bool {
        elements.allSatisfy { FieldOrder.isSame($0(a), $0(b)) }
    }

    /// Returns the index entry of a record.
    func entry(of record: RecordAddress, _ primary: [UInt8]) -> IndexEntry {
        var key = IndexKey(capacity: 48 + primary.count)
        let (columnBytes, claim) = primary.withBytes { append(record, $0, to: &key) }
        return entry(key, columnBytes, claim, primary)
    }

    /// Replaces the content of `key` and `value` by a record's entry. Returns its claim.
    func replace(
        _ key: inout IndexKey, _ value: inout [UInt8], byEntryOf record: RecordAddress, _ primary: [UInt8]
    ) -> IndexEntry.Claim {
        key.removeAll()
        let (columnBytes, claim) = primary.withBytes { append(record, $0, to: &key) }
        replace(&value, for: key, columnBytes, claim, primary)
        return claim
    }

    /// Returns the entry with a key.
    func entry(
        _ key: IndexKey, _ columnBytes: Int, _ claim: IndexEntry.Claim, _ primary: [UInt8]
    ) -> IndexEntry {
        var value: [UInt8] = []
        replace(&value, for: key, columnBytes, claim, primary)
        return IndexEntry(key: key.bytes, value: value, columnBytes: columnBytes, claim: claim)
    }

    /// Replaces the content of `value` by the value of the entry with a key.
    func replace(
        _ value: inout [UInt8], for key: IndexKey, _ columnBytes: Int, _ claim: IndexEntry.Claim, _ primary: [UInt8]
    ) {
        if claim == .key {
            IndexEntryValue.replace(&value, by: primary)
        } else {
            IndexEntryValue.replace(&value, columnBytes: columnBytes, cutEnd: key.cutEnd)
        }
    }

    /// Replaces the content of `key` by the key of a record's entry, read in its compact document. Returns `nil` if the
    /// record type has to decode the record: if the document lacks a column's field, or if the field's type refuses the
    /// value. Throws `.corruption` if the document is not valid.
    func replace(
        _ key: inout IndexKey, by document: CompactValue, _ primary: [UInt8]
    ) throws(StorageError) -> (columnBytes: Int, claim: IndexEntry.Claim)? {
        guard let documentColumns else { return nil }
        key.removeAll()
        for column in documentColumns.indices {
            let reader = documentColumns[column]
            let value = try reader.name.withBytes { (name) throws(StorageError) in try document.field(name) }
            guard let value else { return nil }
            if reader.isText, !isKeyed, let text = try value.utf8, text.count <= IndexKey.cutBytes {
                key.append(utf8: text, isDescending: columns[column].isDescending)
                continue
            }
            guard let element = try reader.element(value) else { return nil }
            append(element, column: column, to: &key)
        }
        return primary.withBytes { end(&key, $0) }
    }

    /// True if the entry of a record has a key. `scratch` is any key, whose memory is used.
    func hasEntry(of record: RecordAddress, _ primary: Bytes, key: Bytes, _ scratch: inout IndexKey) -> Bool {
        scratch.removeAll()
        _ = append(record, primary, to: &scratch)
        return scratch.bytes.withBytes { $0 == key }
    }

    /// Appends the key of a record's entry to an empty key. Returns the number of bytes of its columns.
    private func append(
        _ record: RecordAddress, _ primary: Bytes, to key: inout IndexKey
    ) -> (columnBytes: Int, claim: IndexEntry.Claim) {
        for column in elements.indices { append(elements[column](record), column: column, to: &key) }
        return end(&key, primary)
    }

    /// Appends what follows the columns.
    private func end(
        _ key: inout IndexKey, _ primary: Bytes
    ) -> (columnBytes: Int, claim: IndexEntry.Claim) {
        let columnBytes = key.bytes.count
        // Nil is equal to nothing. Values that are cut may have equal hashes, so their entries name the record as well.
        let isGuarded = isUnique && !key.hasNull
        if isGuarded, key.cutEnd == nil { return (columnBytes, .key) }
        key.append(primary: primary, isDescending: invertsPrimary)
        return (columnBytes, isGuarded ? .range : .none)
    }
}

/// The entry of a record in an index.
struct IndexEntry: Equatable {
    /// The way in which the entry excludes other records with the same columns.
    enum Claim {
        /// Not at all.
        case none
        /// There is one entry with this key.
        case key
        /// The entries that begin with the columns have to be compared.
        case range
    }

    let key: [UInt8]
    let value: [UInt8]
    let columnBytes: Int
    let claim: Claim

    var columns: [UInt8] { Array(key[..<columnBytes]) }
}
