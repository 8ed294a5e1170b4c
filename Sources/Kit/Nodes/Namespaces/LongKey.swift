import ShaleBase

/// The entry of a key that is longer than the engine's limit. On disk, do not change. Its key is not text, and so
/// differs from every other key: 255 | `key` | hash u64. Its value is data: a ``NameBucket`` with an envelope for each
/// key.
struct LongKey {
    private static let start: [UInt8] = [255] + Array("key".utf8)

    /// The prefix of all such entries.
    static let prefix = EntryKey(start)

    let name: [UInt8]
    /// The key of the entry.
    let entry: EntryKey

    init(_ key: String) {
        name = Array(key.utf8)
        let hash = NameBucket.hash(name)
        entry = EntryKey(LongKey.start + (0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) })
    }

    static func isLong(_ key: String) -> Bool { key.utf8.count > FormatLimits.keyBytes }

    func envelope(in namespace: Namespace) throws(StorageError) -> [UInt8]? {
        try NameBucket(try namespace.value(forKey: entry, as: [UInt8].self))[name]
    }

    /// Sets the envelope of the key; `nil` removes it.
    func set(
        _ envelope: [UInt8]?, in namespace: Namespace, _ options: ValueOptions,
        _ transaction: borrowing StoreTransaction
    ) throws(StorageError) {
        var bucket = try NameBucket(try transaction.value(forKey: entry, in: namespace, as: [UInt8].self))
        bucket[name] = envelope
        let bytes: [UInt8]? = bucket.entries.isEmpty ? nil : bucket.bytes
        try transaction.set(bytes, forKey: entry, in: namespace, options)
    }

    /// Returns all long keys of a namespace. Throws `.corruption` if an entry is not valid.
    static func all(in namespace: Namespace) throws(StorageError) -> [String] {
        var keys: [String] = []
        for entry in namespace.entries(prefix: prefix) {
            let bucket = try NameBucket(try entry.get().value(as: [UInt8].self))
            for (name, _) in bucket.entries {
                guard let key = String(validating: name, as: UTF8.self) else { throw .corruption("a key is not text") }
                keys.append(key)
            }
        }
        return keys
    }
}
