public import Foundation
public import ShaleBase

/// Getters by type for values that are stored as archives.
extension Namespace {
    /// Returns the archived object of `key`, of the class `type`; `nil` if the key is missing.
    ///
    /// ```swift
    /// let order = try orders.value(forKey: "42", as: Order.self)
    /// ```
    /// Makes only objects of `type` and of Foundation's value classes. Throws the errors of
    /// ``archived(_:forKey:allowing:)``, among them `.typeMismatch` if the value is no archive or an archive with an
    /// object of another class.
    public func value<T: NSObject & NSSecureCoding>(
        forKey key: some StoreKey, as type: T.Type = T.self
    ) throws(StorageError) -> T? {
        try archived(T.self, forKey: key)
    }

    /// Returns the archived object of `key`. Objects inside it may also be of the listed `classes`.
    public func value<T: NSObject & NSSecureCoding>(
        forKey key: some StoreKey, as type: T.Type = T.self, allowing classes: ArchivedClasses
    ) throws(StorageError) -> T? {
        try archived(T.self, forKey: key, allowing: classes)
    }

    /// Returns the object of `key`, of a class that is both archivable and `Codable`, in whichever form it was stored;
    /// `nil` if the key is missing.
    ///
    /// Throws the errors of the other `value` for that form.
    public func value<T: NSObject & NSSecureCoding & Decodable>(
        forKey key: some StoreKey, as type: T.Type = T.self
    ) throws(StorageError) -> T? {
        try value(forKey: key, as: T.self, allowing: [])
    }

    /// Returns the object of `key` in whichever form it was stored. Objects inside an archive may also be of the listed
    /// `classes`.
    public func value<T: NSObject & NSSecureCoding & Decodable>(
        forKey key: some StoreKey, as type: T.Type = T.self, allowing classes: ArchivedClasses
    ) throws(StorageError) -> T? {
        var archive: Data?
        var other: CopiedPayload?
        // One read determines the form, so that a concurrent change of the form is no error.
        try key.withKeyBytes { (key) throws(StorageError) in
            try readPayload(key) { (bytes, codec) in
                if codec == .archive {
                    archive = unsafe bytes.withUnsafeBytes { unsafe Data($0) }
                } else {
                    other = CopiedPayload(bytes, codec)
                }
            }
        }
        if let archive { return try ObjectArchive.decode(T.self, archive, classes) }
        return try other.map { (other) throws(StorageError) in try other.decoded(T.self) }
    }
}
