public import Foundation
public import ShaleBase

/// The getter by type, for types whose values are stored as archives.
extension Namespace {
    /// The archived object of `key`, of the class `type`; `nil` when the key is missing.
    ///
    /// ```swift
    /// let order = try orders.value(forKey: "42", as: Order.self)
    /// ```
    /// It makes objects of `type` and of Foundation's value classes, and of no others. Errors as for
    /// ``archived(_:forKey:allowing:)``: `.typeMismatch` when something else than an archive is stored, or an archive
    /// with an object of another class.
    public func value<T: NSObject & NSSecureCoding>(
        forKey key: some StoreKey, as type: T.Type = T.self
    ) throws(StorageError) -> T? {
        try archived(T.self, forKey: key)
    }

    /// The same with objects of other classes inside it: `classes`.
    public func value<T: NSObject & NSSecureCoding>(
        forKey key: some StoreKey, as type: T.Type = T.self, allowing classes: ArchivedClasses
    ) throws(StorageError) -> T? {
        try archived(T.self, forKey: key, allowing: classes)
    }

    /// The object of `key`, of a class that is both archived and `Codable`, in whichever form it was stored; `nil` when the key
    /// is missing. Errors as for the other `value` of that form.
    public func value<T: NSObject & NSSecureCoding & Decodable>(
        forKey key: some StoreKey, as type: T.Type = T.self
    ) throws(StorageError) -> T? {
        try value(forKey: key, as: T.self, allowing: [])
    }

    /// The same with objects of other classes inside an archive: `classes`.
    public func value<T: NSObject & NSSecureCoding & Decodable>(
        forKey key: some StoreKey, as type: T.Type = T.self, allowing classes: ArchivedClasses
    ) throws(StorageError) -> T? {
        var archive: Data?
        var other: CopiedPayload?
        // One read decides, so that a change of the form meanwhile is no error.
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
