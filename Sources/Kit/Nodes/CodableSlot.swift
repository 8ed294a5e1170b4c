/// One key of a storage, as a subscript gives it: what an assignment can't say without hiding errors is a call here.
///
/// ```swift
/// try mail.values["draft"].set(draft)
/// let back = try mail.values["draft"].value(as: Draft.self)
/// try mail.values["draft"].remove()
/// ```
/// Making one reads and writes nothing. It may be kept: it always means the same key of the same storage. Errors of its calls
/// are those of the storage's.
public struct CodableSlot<Storage: CodableStorage>: Sendable {
    /// The storage that the key belongs to.
    public let storage: Storage
    /// The key.
    public let key: String

    /// The value; `nil` when the key is missing. As ``CodableStorage/value(forKey:as:)``.
    public func value<T: Codable>(as type: T.Type = T.self) throws(StorageError) -> T? {
        try storage.value(forKey: key, as: T.self)
    }

    /// Sets the value; `nil` removes the key. As ``CodableStorage/set(_:forKey:)``.
    public func set<T: Codable>(_ value: T?) throws(StorageError) { try storage.set(value, forKey: key) }

    /// Removes the key, whether or not it is there.
    public func remove() throws(StorageError) { try storage.remove(key) }

    /// True if the key is there.
    public var exists: Bool {
        get throws(StorageError) { try storage.contains(key) }
    }
}

extension CodableStorage {
    /// The key `key`, to be set or read: `try storage["draft"].set(draft)`.
    ///
    /// `storage["draft"] = draft` does not exist. A setter can't throw in Swift, and a failed write is never silent here.
    public subscript(key: String) -> CodableSlot<Self> { CodableSlot(storage: self, key: key) }
}
