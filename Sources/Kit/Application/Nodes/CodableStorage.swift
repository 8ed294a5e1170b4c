/// A tree of named storages, each with `Codable` values under keys.
///
/// The protocol has three back ends: namespaces of a store (``NamespaceStorage``), files in a directory
/// (``FileStorage``) and a vault (`VaultStorage`).
///
/// ```swift
/// func remember(_ draft: Draft, in storage: some CodableStorage) throws {
///     try storage.set(draft, forKey: "draft")
///     let back: Draft? = try storage["draft"]
/// }
/// ```
/// Keys and names of children are any text of at most 1 MiB, compared by its UTF-8: the empty text, dots, slashes and
/// NUL are allowed. A longer one throws `.invalidArgument`. No name leads outside of the storage, and nothing outside
/// is ever removed.
///
/// A storage costs nothing until something is written. All calls are safe from any thread and block until they are
/// done. No error turns into `nil`.
public protocol CodableStorage: Sendable {
    /// The names from the root of the tree, which has none, to this storage.
    var path: [String] { get }

    /// Sets a value of any `Codable` type, including numbers, text and data at the top; `nil` removes the key.
    ///
    /// - Throws: With nothing changed: `.codecFailure` if the value can't be encoded, `.noSpace`, and the errors of the
    ///   back end.
    func set<T: Codable>(_ value: T?, forKey key: String) throws(StorageError)

    /// Returns the value of a key; `nil` if it is missing.
    ///
    /// - Throws: `.typeMismatch` if another type is stored; `.codecFailure` if the value does not decode;
    ///   `.corruption`, `.newerFormat` and the errors of the back end.
    func value<T: Codable>(forKey key: String, as type: T.Type) throws(StorageError) -> T?

    /// Returns true if a key exists.
    func contains(_ key: String) throws(StorageError) -> Bool

    /// Returns the keys, in bytewise order. O(keys).
    func keys() throws(StorageError) -> [String]

    /// Removes all keys of this storage. The keys of its children stay.
    func truncate() throws(StorageError)

    /// Removes all keys of this storage and of all storages below it.
    func truncateSubtree() throws(StorageError)

    /// Returns the storage `name` directly below this one.
    func child(_ name: String) -> Self

    /// Makes all earlier writes durable.
    func sync() throws(StorageError)
}

extension CodableStorage {
    /// The last name of ``path``; empty for the root of the tree.
    public var name: String { path.last ?? "" }

    /// Returns the value of a key as the expected type; `nil` if it is missing. See ``CodableSlot`` for setting it.
    public subscript<T: Codable>(key: String) -> T? {
        get throws(StorageError) { try value(forKey: key, as: T.self) }
    }

    /// Removes a key, whether or not it exists.
    public func remove(_ key: String) throws(StorageError) { try set(nil as Bool?, forKey: key) }
}

/// One key of a storage, as a subscript returns it. Its methods can throw, which an assignment can't.
///
/// ```swift
/// try mail.values["draft"].set(draft)
/// let back = try mail.values["draft"].value(as: Draft.self)
/// try mail.values["draft"].remove()
/// ```
/// Making a slot reads and writes nothing. A slot may be kept: it always refers to the same key of the same storage.
/// Its methods throw the errors of the storage.
public struct CodableSlot<Storage: CodableStorage>: Sendable {
    /// The storage that the key belongs to.
    public let storage: Storage
    /// The key.
    public let key: String

    /// Returns the value; `nil` if the key is missing. See ``CodableStorage/value(forKey:as:)``.
    public func value<T: Codable>(as type: T.Type = T.self) throws(StorageError) -> T? {
        try storage.value(forKey: key, as: T.self)
    }

    /// Sets the value; `nil` removes the key. See ``CodableStorage/set(_:forKey:)``.
    public func set<T: Codable>(_ value: T?) throws(StorageError) { try storage.set(value, forKey: key) }

    /// Removes the key, whether or not it exists.
    public func remove() throws(StorageError) { try storage.remove(key) }

    /// True if the key exists.
    public var exists: Bool {
        get throws(StorageError) { try storage.contains(key) }
    }
}

extension CodableStorage {
    /// Returns the key `key`, for setting or reading: `try storage["draft"].set(draft)`.
    ///
    /// There is no `storage["draft"] = draft`: a setter can't throw in Swift, and a write must not fail silently.
    public subscript(key: String) -> CodableSlot<Self> { CodableSlot(storage: self, key: key) }
}
