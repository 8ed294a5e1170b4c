public import Foundation
public import ShaleBase

extension Namespace {
    /// Stores an object of an `NSSecureCoding` class as a keyed archive; `nil` removes the key. About 40 times slower
    /// than `Codable`.
    ///
    /// On Linux, Foundation ends the process if a class inside does not conform to `NSSecureCoding`, and for an
    /// `NSDecimalNumber`. Shale can't prevent that.
    ///
    /// - Throws: With nothing written: `.invalidArgument` for a class that is nested in another type; `.codecFailure`
    ///   for objects that could not be read back, because they contain themselves, are nested over 64 deep or have over
    ///   2²⁰ parts. Also the errors of setting a value.
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

    /// Returns the archived object of `key`; `nil` if the key is missing.
    ///
    /// The whole archive is checked before the first object is made. Only objects of `type`, of the classes in
    /// `classes` and of Foundation's value classes are made. No error ends the process.
    ///
    /// - Throws: `.typeMismatch` if the value is no archive, or if a class in it is not listed or not the one that the
    ///   enclosing object requests; `.codecFailure` if a class rejects its fields; `.corruption` for damage; the errors
    ///   of `value(forKey:as:)`.
    public func archived<T: NSObject & NSSecureCoding>(
        _ type: T.Type = T.self, forKey key: some StoreKey, allowing classes: ArchivedClasses = []
    ) throws(StorageError) -> T? {
        guard let payload = try archive(forKey: key) else { return nil }
        return try ObjectArchive.decode(T.self, payload, classes)
    }

    /// Returns a copy of the archive of `key`, so that the classes' code runs while no resource of the store is held.
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
    /// Sets an archived object; `nil` removes the key. See ``Namespace/setArchived(_:forKey:_:durability:)``.
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
    /// Sets an archived object; `nil` removes the key. See ``Namespace/setArchived(_:forKey:_:durability:)``.
    public func setArchived(
        _ object: (any NSObject & NSSecureCoding)?, forKey key: some StoreKey, in namespace: Namespace,
        _ options: ValueOptions = []
    ) throws(StorageError) {
        guard let object else { return try remove(key, in: namespace) }
        let payload = try ObjectArchive.encode(object)
        try put(payload.bytes, .archive, key, namespace, options)
    }
}
