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
