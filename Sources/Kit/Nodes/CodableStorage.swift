/// A tree of named storages, each with `Codable` values under keys. One protocol over three back ends: namespaces of a store
/// (``NamespaceStorage``), files in a directory (``FileStorage``) and a vault (`VaultStorage`).
///
/// ```swift
/// func remember(_ draft: Draft, in storage: some CodableStorage) throws {
///     try storage.set(draft, forKey: "draft")
///     let back: Draft? = try storage["draft"]
/// }
/// ```
/// Keys and names of children are any text, compared by its UTF-8: empty, dots, slashes, NUL, whatever. Each has at most 1 MiB;
/// longer ones are `.invalidArgument`. A storage and all below it stay where they are: no name leads anywhere else, and
/// nothing outside is ever removed.
///
/// A storage costs nothing until something is written. All calls are safe from any thread and return when they are done. No error
/// is turned into `nil`.
public protocol CodableStorage: Sendable {
    /// The names from the storage that the tree begins with, which has none, to this one.
    var path: [String] { get }

    /// Sets a value of any type that is `Codable`, numbers, text and data at the top too; `nil` removes the key. Errors:
    /// `.codecFailure` for what can't be encoded, `.noSpace` and those of the back end: nothing has changed then.
    func set<T: Codable>(_ value: T?, forKey key: String) throws(StorageError)

    /// The value of a key; `nil` when it is missing. Errors: `.typeMismatch` when something else is stored, `.codecFailure` when
    /// it does not decode, `.corruption`, `.newerFormat` and those of the back end.
    func value<T: Codable>(forKey key: String, as type: T.Type) throws(StorageError) -> T?

    /// Whether a key is there.
    func contains(_ key: String) throws(StorageError) -> Bool

    /// The keys, in bytewise order. O(keys).
    func keys() throws(StorageError) -> [String]

    /// Removes all keys of this storage; those of its children stay.
    func clear() throws(StorageError)

    /// Removes all keys of this storage and of all below it.
    func clearHierarchy() throws(StorageError)

    /// The storage `name` right below.
    func child(named name: String) -> Self

    /// Makes everything that was written durable.
    func synchronize() throws(StorageError)
}

extension CodableStorage {
    /// The last name of ``path``; empty for the storage that the tree begins with.
    public var name: String { path.last ?? "" }

    /// The value of a key, of the type that is expected; `nil` when it is missing. To set it: ``CodableSlot``.
    public subscript<T: Codable>(key: String) -> T? {
        get throws(StorageError) { try value(forKey: key, as: T.self) }
    }

    /// Removes a key, whether or not it is there.
    public func remove(_ key: String) throws(StorageError) { try set(nil as Bool?, forKey: key) }
}
