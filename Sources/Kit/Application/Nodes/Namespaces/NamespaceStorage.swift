import ShaleBase

/// A ``CodableStorage`` in a namespace of a store; its children are the namespaces below it.
///
/// The fastest of the three back ends. Clearing takes the same time however much it contains. A write survives the
/// process when it returns, and a loss of power after ``sync()``.
///
/// Paths of namespaces have up to 4 KiB. Names that don't fit are kept in a register; each access below such a name
/// looks it up, which takes a few microseconds. Below a path of 3 KiB about forty such names can be nested, below a
/// shorter one more; deeper ones make every operation throw `.invalidArgument`. Keys of more than 16 KiB also cost
/// slightly more.
public struct NamespaceStorage: CodableStorage {
    private let store: Store
    private let location: NodeLocation
    private let options: ValueOptions
    public let path: [String]

    /// Makes the tree whose root is `namespace`, which must belong to `store`. `options` apply to every write, for
    /// example `.encrypted`.
    public init(_ namespace: Store.Namespace, of store: Store, options: ValueOptions = []) {
        self.init(store, NodeLocation(namespace), options, [])
    }

    private init(_ store: Store, _ location: NodeLocation, _ options: ValueOptions, _ path: [String]) {
        self.store = store
        self.location = location
        self.options = options
        self.path = path
    }

    public func child(_ name: String) -> NamespaceStorage {
        NamespaceStorage(store, location.child(name), options, path + [name])
    }

    // MARK: Values

    public func set<T: Codable>(_ value: T?, forKey key: String) throws(StorageError) {
        try NodeLimits.check(key)
        if let namespace = location.literal, !LongKey.isLong(key) {
            return try namespace.set(value, forKey: key, options: options)
        }
        // A removal need not enter a name.
        if value == nil, try !contains(key) { return }
        let envelope =
            LongKey.isLong(key)
            ? try value.map { (value) throws(StorageError) in
                try EncodedValue.envelope(of: value)
            } : nil
        try writing { (namespace, transaction) throws(StorageError) in
            if LongKey.isLong(key) {
                try LongKey(key).set(envelope, in: namespace, options, transaction)
            } else {
                try transaction.set(value, forKey: key, in: namespace, options: options)
            }
        }
    }

    private func writing(
        _ body: (Store.Namespace, borrowing Store.Transaction) throws(StorageError) -> Void
    ) throws(StorageError) {
        while true {
            do throws(StorageError) {
                return try store.transaction(attempts: .max) { (transaction) throws(StorageError) in
                    try body(try location.registered(transaction), transaction)
                }
            } catch {
                // The namespace was dropped concurrently. The write creates it again, like any other write.
                guard error.code == .namespaceDropped else { throw error }
            }
        }
    }

    public func value<T: Codable>(forKey key: String, as type: T.Type) throws(StorageError) -> T? {
        try NodeLimits.check(key)
        return try location.reading { (namespace) throws(StorageError) in
            guard LongKey.isLong(key) else { return try namespace.value(forKey: key, as: T.self) }
            guard let envelope = try LongKey(key).envelope(in: namespace) else { return nil }
            return try unsafe EncodedValue.decode(T.self, envelope.span.bytes)
        }
    }

    public func contains(_ key: String) throws(StorageError) -> Bool {
        try NodeLimits.check(key)
        return try location.reading { (namespace) throws(StorageError) in
            LongKey.isLong(key) ? try LongKey(key).envelope(in: namespace) != nil : try namespace.contains(key)
        } ?? false
    }

    // MARK: All of them

    /// Returns the keys; leaves out keys that are not text, which other programs have written.
    public func keys() throws(StorageError) -> [String] {
        try location.reading { (namespace) throws(StorageError) in
            let short = try namespace.keys.array().compactMap(\.string)
            let long = try LongKey.all(in: namespace)
            return long.isEmpty ? short : (short + long).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        } ?? []
    }

    public func truncate() throws(StorageError) {
        _ = try location.reading { (namespace) throws(StorageError) in try namespace.truncate() }
    }

    /// Removes all keys. The namespaces and their options stay.
    public func truncateSubtree() throws(StorageError) {
        _ = try location.reading { (namespace) throws(StorageError) in try namespace.truncateSubtree() }
    }

    public func sync() throws(StorageError) { try store.sync() }
}

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

    func envelope(in namespace: Store.Namespace) throws(StorageError) -> [UInt8]? {
        try NameBucket(try namespace.value(forKey: entry, as: [UInt8].self))[name]
    }

    /// Sets the envelope of the key; `nil` removes it.
    func set(
        _ envelope: [UInt8]?, in namespace: Store.Namespace, _ options: ValueOptions,
        _ transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        var bucket = try NameBucket(try transaction.value(forKey: entry, in: namespace, as: [UInt8].self))
        bucket[name] = envelope
        let bytes: [UInt8]? = bucket.entries.isEmpty ? nil : bucket.bytes
        try transaction.set(bytes, forKey: entry, in: namespace, options: options)
    }

    /// Returns all long keys of a namespace. Throws `.corruption` if an entry is not valid.
    static func all(in namespace: Store.Namespace) throws(StorageError) -> [String] {
        var keys: [String] = []
        let cursor = namespace.entries(prefix: prefix).cursor()
        while let entry = try cursor.next() {
            let bucket = try NameBucket(try entry.value(as: [UInt8].self))
            for (name, _) in bucket.entries {
                guard let key = String(validating: name, as: UTF8.self) else { throw .corruption("a key is not text") }
                keys.append(key)
            }
        }
        return keys
    }
}
