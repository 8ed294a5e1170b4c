/// A ``CodableStorage`` in a namespace of a store: children are the namespaces below it. The fastest of the three; clearing takes the
/// same time however much there is. Writes survive the process when they return, and a loss of power after ``synchronize()``.
/// A path of names has up to about 4 KiB, and a longer one makes every operation throw `.invalidArgument`.
public struct NamespaceStorage: CodableStorage {
    private let store: Store
    private let namespace: Namespace
    private let options: ValueOptions
    public let path: [String]

    /// The tree that begins with `namespace`, which must be one of `store`. `options` are those of every write: `.encrypted`, for
    /// example.
    public init(_ namespace: Namespace, of store: Store, options: ValueOptions = []) {
        self.init(store, namespace, options, [])
    }

    private init(_ store: Store, _ namespace: Namespace, _ options: ValueOptions, _ path: [String]) {
        self.store = store
        self.namespace = namespace
        self.options = options
        self.path = path
    }

    public func set<T: Codable>(_ value: T?, forKey key: String) throws(StorageError) {
        try NodeLimits.check(key)
        try namespace.set(value, forKey: key, options)
    }

    public func value<T: Codable>(forKey key: String, as type: T.Type) throws(StorageError) -> T? {
        try NodeLimits.check(key)
        return try namespace.value(forKey: key, as: T.self)
    }

    public func contains(_ key: String) throws(StorageError) -> Bool {
        try NodeLimits.check(key)
        return try namespace.contains(key)
    }

    /// Keys that are no text, which others have written, are left out.
    public func keys() throws(StorageError) -> [String] { try namespace.keys.array().compactMap(\.string) }

    public func clear() throws(StorageError) { try namespace.truncate() }

    /// The namespaces and their options stay.
    public func clearHierarchy() throws(StorageError) { try namespace.truncateSubtree() }

    public func child(named name: String) -> NamespaceStorage {
        NamespaceStorage(store, namespace.child(name), options, path + [name])
    }

    public func synchronize() throws(StorageError) { try store.sync() }
}
