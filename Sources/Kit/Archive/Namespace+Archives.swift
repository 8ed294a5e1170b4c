public import Foundation
public import ShaleBase

extension Namespace {
    /// Stores an object of an `NSSecureCoding` class as a keyed archive; `nil` removes the key.
    ///
    /// Errors: those of setting a value; `.invalidArgument` for a class that is nested in another type; `.codecFailure` for
    /// objects that contain themselves, are nested over 64 deep or have over 2²⁰ parts, which would not be read back:
    /// nothing was written. Foundation on Linux ends the process when a class inside is not `NSSecureCoding`, and for an
    /// `NSDecimalNumber`: that is out of reach from here. Some 40 times as slow as `Codable`.
    public func setArchived(
        _ object: (any NSObject & NSSecureCoding)?, forKey key: some StoreKey, _ options: ValueOptions = [],
        durability: Durability? = nil
    ) throws(StorageError) {
        guard let object else { return try remove(key, durability: durability) }
        let payload = try ObjectArchive.encode(object)
        try key.withKeyBytes { (key) throws(StorageError) in
            try put(payload.bytes, .archive, key, options, durability)
        }
    }

    /// The archived object of `key`; `nil` when the key is missing.
    ///
    /// Objects are made of `type`, the classes in `classes` and Foundation's value classes, and of no others; before the
    /// first is made the whole archive has been checked.
    ///
    /// Errors: `.typeMismatch` when something else than an archive is stored, or a class in it is not listed, or is not
    /// what the object around it asks for; `.codecFailure` when a class refuses its fields; `.corruption` for damage; and
    /// those of `value(forKey:as:)`. None of them ends the process.
    public func archived<T: NSObject & NSSecureCoding>(
        _ type: T.Type = T.self, forKey key: some StoreKey, allowing classes: ArchivedClasses = []
    ) throws(StorageError) -> T? {
        guard let payload = try archive(forKey: key) else { return nil }
        return try ObjectArchive.decode(T.self, payload, classes)
    }

    /// The bytes of the archive of `key`, copied: the classes' own code runs with nothing of the store held.
    func archive(forKey key: some StoreKey) throws(StorageError) -> Data? {
        var payload: Data?
        try key.withKeyBytes { (key) throws(StorageError) in
            try readPayload(key) { (bytes, codec) throws(StorageError) in
                guard codec == .archive else { throw .typeMismatch(stored: codec.description, requested: "an archive") }
                payload = unsafe bytes.withUnsafeBytes { unsafe Data($0) }
            }
        }
        return payload
    }
}

extension StoreBatch {
    /// Sets an archived object; `nil` removes the key. As ``Namespace/setArchived(_:forKey:_:durability:)``.
    public mutating func setArchived(
        _ object: (any NSObject & NSSecureCoding)?, forKey key: some StoreKey, in namespace: Namespace,
        _ options: ValueOptions = []
    ) throws(StorageError) {
        guard let object else { return try remove(key, in: namespace) }
        let payload = try ObjectArchive.encode(object)
        try key.withKeyBytes { (key) throws(StorageError) in
            try put(payload.bytes, .archive, key, namespace, options)
        }
    }
}

extension StoreTransaction {
    /// Sets an archived object; `nil` removes the key. As ``Namespace/setArchived(_:forKey:_:durability:)``.
    public func setArchived(
        _ object: (any NSObject & NSSecureCoding)?, forKey key: some StoreKey, in namespace: Namespace,
        _ options: ValueOptions = []
    ) throws(StorageError) {
        guard let object else { return try remove(key, in: namespace) }
        let payload = try ObjectArchive.encode(object)
        try put(payload.bytes, .archive, key, namespace, options)
    }
}
