/// A ``CodableStorage`` in a namespace of a store: children are the namespaces below it. The fastest of the three; clearing takes the
/// same time however much there is. Writes survive the process when they return, and a loss of power after ``synchronize()``.
///
/// Namespaces have paths of up to 4 KiB. Names that would not fit are kept in a register instead, and what is below them costs a
/// look into it, some microseconds. About forty such names fit below each other after paths of 3 KiB, more after shorter ones; deeper ones make every
/// operation throw `.invalidArgument`. Keys of more than 16 KiB cost a little more too.
public struct NamespaceStorage: CodableStorage {
    private let store: Store
    private let place: NamespacePlace
    private let options: ValueOptions
    public let path: [String]

    /// The tree that begins with `namespace`, which must be one of `store`. `options` are those of every write: `.encrypted`, for
    /// example.
    public init(_ namespace: Namespace, of store: Store, options: ValueOptions = []) {
        self.init(store, NamespacePlace(namespace), options, [])
    }

    private init(_ store: Store, _ place: NamespacePlace, _ options: ValueOptions, _ path: [String]) {
        self.store = store
        self.place = place
        self.options = options
        self.path = path
    }

    public func child(named name: String) -> NamespaceStorage {
        NamespaceStorage(store, place.child(name), options, path + [name])
    }

    // MARK: Values

    public func set<T: Codable>(_ value: T?, forKey key: String) throws(StorageError) {
        try NodeLimits.check(key)
        if let namespace = place.spelt, !LongKey.isLong(key) { return try namespace.set(value, forKey: key, options) }
        // To remove something is no reason to enter a name.
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
                try transaction.set(value, forKey: key, in: namespace, options)
            }
        }
    }

    private func writing(
        _ body: (Namespace, borrowing StoreTransaction) throws(StorageError) -> Void
    ) throws(StorageError) {
        while true {
            do throws(StorageError) {
                return try store.transaction(attempts: .max) { (transaction) throws(StorageError) in
                    try body(try place.entered(transaction), transaction)
                }
            } catch {
                // Somebody has dropped it at the same time; it is made again, as with any other write.
                guard error.code == .namespaceDropped else { throw error }
            }
        }
    }

    public func value<T: Codable>(forKey key: String, as type: T.Type) throws(StorageError) -> T? {
        try NodeLimits.check(key)
        return try place.reading { (namespace) throws(StorageError) in
            guard LongKey.isLong(key) else { return try namespace.value(forKey: key, as: T.self) }
            guard let envelope = try LongKey(key).envelope(in: namespace) else { return nil }
            return try unsafe EncodedValue.decode(T.self, envelope.span.bytes)
        }
    }

    public func contains(_ key: String) throws(StorageError) -> Bool {
        try NodeLimits.check(key)
        return try place.reading { (namespace) throws(StorageError) in
            LongKey.isLong(key) ? try LongKey(key).envelope(in: namespace) != nil : try namespace.contains(key)
        } ?? false
    }

    // MARK: All of them

    /// Keys that are no text, which others have written, are left out.
    public func keys() throws(StorageError) -> [String] {
        try place.reading { (namespace) throws(StorageError) in
            let short = try namespace.keys.array().compactMap(\.string)
            let long = try LongKey.all(in: namespace)
            return long.isEmpty ? short : (short + long).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        } ?? []
    }

    public func clear() throws(StorageError) {
        _ = try place.reading { (namespace) throws(StorageError) in try namespace.truncate() }
    }

    /// The namespaces and their options stay.
    public func clearHierarchy() throws(StorageError) {
        _ = try place.reading { (namespace) throws(StorageError) in try namespace.truncateSubtree() }
    }

    public func synchronize() throws(StorageError) { try store.sync() }
}
