import Shale
import ShaleBase

/// Copies of neighbouring index entries. Used by one thread.
struct EntryGroup {
    /// The keys of the records that the entries name.
    private(set) var primaries = KeyList()
    private(set) var cutEnds: [Int?] = []
    private var keys = KeyList()
    private let invertsPrimary: Bool

    init(invertsPrimary: Bool) { self.invertsPrimary = invertsPrimary }

    var count: Int { primaries.count }

    mutating func removeAll() {
        primaries.removeAll()
        keys.removeAll()
        cutEnds.removeAll(keepingCapacity: true)
    }

    /// Appends the current entry of a walk.
    mutating func append(_ walk: borrowing NamespaceWalk) throws(StorageError) {
        try walk.withBytes { (key, value) throws(StorageError) in
            try unsafe key.withUnsafeBytes { (key) throws(StorageError) in
                try unsafe value.withUnsafeBytes { (value) throws(StorageError) in
                    try append(key: unsafe Bytes(key), value: unsafe Bytes(value))
                }
            }
        }
    }

    private mutating func append(key: Bytes, value: Bytes) throws(StorageError) {
        let parts = try IndexEntryParts(value, key: key)
        if parts.isInKey, invertsPrimary {
            primaries.append(inverted: parts.primary)
        } else {
            primaries.append(parts.primary)
        }
        keys.append(key)
        cutEnds.append(parts.cutEnd)
    }

    /// Passes the key of an entry, and that of the record that it names, to `body`.
    func withEntry<R>(
        _ position: Int, _ body: (_ key: Bytes, _ primary: Bytes) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try keys.withKey(position) { (key) throws(StorageError) in
            try primaries.withKey(position) { (primary) throws(StorageError) in try body(key, primary) }
        }
    }
}
