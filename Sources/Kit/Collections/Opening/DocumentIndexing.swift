import Shale
import ShaleBase

/// Makes the entries of the indexes that a pass builds from the bytes of records, without decoding the records. Used by
/// one thread.
///
/// 1. The document of a record has the value of a stored property under the name of its field:
///    ``RecordField/init(_:_:_:)``. The usual types read a value here by the functions that decode it.
/// 2. Everything else is left to the record type: other versions and formats, computed properties, types that encode
///    themselves, missing fields, which a type may complete, values that a type refuses, and values that are taken.
/// 3. So a record whose other properties don't decode has its entries. That is no failure of the pass: a query that
///    finds the record reports it, and finds it again when the type decodes it again.
/// 4. If a type broke 1, queries would lose its records. So the pass decodes one record of 64 as well. Once the entries
///    of one differ, it begins again and decodes all of them.
struct DocumentIndexing {
    private let base: CollectionBase
    private let schema: OpenSchema
    /// The indexes that are built.
    private let indexes: [OpenIndex]
    private let version: Int
    /// The key of the last record that was read.
    private(set) var primary: [UInt8] = []
    private var key = IndexKey(capacity: 128)
    private var value: [UInt8] = []

    /// Returns `nil` if the pass has to decode all records.
    ///
    /// - Parameter version: The version of the records that are read.
    init?(_ base: CollectionBase, _ schema: OpenSchema, version: Int) {
        guard !schema.stored.isMigrating else { return nil }
        let indexes = schema.indexes.filter { !$0.isReady }
        guard indexes.allSatisfy(\.layout.readsDocuments) else { return nil }
        self.indexes = indexes
        self.base = base
        self.schema = schema
        self.version = version
    }

    /// Writes the entries of a walk's current record. Returns false if the record has to be decoded. Some of its
    /// entries may be written then, as they will be again.
    mutating func write(
        _ walk: borrowing NamespaceWalk, _ transaction: borrowing Store.Transaction
    ) throws(StorageError) -> Bool {
        try walk.withCompactDocument(ofVersion: version) { (found, document, info) throws(StorageError) in
            let options = info.options
            guard base.exposure(of: options, schema) == nil else { return false }
            take(found)
            for index in indexes {
                guard let (columnBytes, claim) = fill(from: document, index) else { return false }
                index.layout.replace(&value, for: key, columnBytes, claim, primary)
                switch claim {
                case .none: break
                case .key:
                    let stored = try transaction.storedBytes(key.bytes, in: index.namespace)
                    guard stored == nil || stored == value else { return false }
                case .range: return false
                }
                try transaction.setBytes(
                    value, forKey: key.bytes, in: index.namespace, options: options.unencrypted)
            }
            return true
        }
    }

    /// Returns the entries of a walk's current record; `nil` if the record has to be decoded.
    mutating func entries(_ walk: borrowing NamespaceWalk) throws(StorageError) -> [IndexEntry]? {
        var entries: [IndexEntry] = []
        let isRead = try walk.withCompactDocument(ofVersion: version) { (found, document, _) in
            take(found)
            for index in indexes {
                guard let (columnBytes, claim) = fill(from: document, index) else { return false }
                entries.append(index.layout.entry(key, columnBytes, claim, primary))
            }
            return true
        }
        return isRead ? entries : nil
    }

    /// Returns the entries of a decoded record.
    func entries(of record: RecordAddress, _ primary: [UInt8]) -> [IndexEntry] {
        indexes.map { $0.layout.entry(of: record, primary) }
    }

    private mutating func take(_ found: RawSpan) {
        primary.removeAll(keepingCapacity: true)
        unsafe found.withUnsafeBytes { unsafe primary.append(contentsOf: $0) }
    }

    /// Sets ``key``. Returns `nil` if the record has to be decoded.
    private mutating func fill(
        from document: CompactValue, _ index: OpenIndex
    ) -> (columnBytes: Int, claim: IndexEntry.Claim)? {
        do throws(StorageError) {
            return try index.layout.replace(&key, by: document, primary)
        } catch {
            // Decoding the record meets the damage again, and the pass reports that.
            return nil
        }
    }
}
