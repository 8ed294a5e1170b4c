public import Foundation
public import ShaleBase

extension Store.Namespace {
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
        _ object: (any NSObject & NSSecureCoding)?, forKey key: some StoreKey, options: ValueOptions = [],
        durability: Durability? = nil
    ) throws(StorageError) {
        guard let object else { return try remove(key, durability: durability) }
        let payload = try ObjectArchive.encode(object)
        try key.withKeyBytes { (key) throws(StorageError) in
            try put(payload.bytes, .archive, key, options, durability)
        }
    }
}

extension NamespaceReader {
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

extension Store.Batch {
    /// Sets an archived object; `nil` removes the key.
    /// See ``Store/Namespace/setArchived(_:forKey:options:durability:)``.
    public mutating func setArchived(
        _ object: (any NSObject & NSSecureCoding)?, forKey key: some StoreKey, in namespace: Store.Namespace,
        options: ValueOptions = []
    ) throws(StorageError) {
        guard let object else { return try remove(key, in: namespace) }
        let payload = try ObjectArchive.encode(object)
        try key.withKeyBytes { (key) throws(StorageError) in
            try put(payload.bytes, .archive, key, namespace, options)
        }
    }
}

extension Store.Transaction {
    /// Sets an archived object; `nil` removes the key.
    /// See ``Store/Namespace/setArchived(_:forKey:options:durability:)``.
    public func setArchived(
        _ object: (any NSObject & NSSecureCoding)?, forKey key: some StoreKey, in namespace: Store.Namespace,
        options: ValueOptions = []
    ) throws(StorageError) {
        guard let object else { return try remove(key, in: namespace) }
        let payload = try ObjectArchive.encode(object)
        try put(payload.bytes, .archive, key, namespace, options)
    }
}

/// Getters by type for values that are stored as archives.
extension NamespaceReader {
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

/// Arrays of archived objects, and archives between namespaces and files.
extension Store.Namespace {
    /// Stores an array of objects as one keyed archive, so that objects shared in it stay shared. See
    /// ``setArchived(_:forKey:options:durability:)``.
    public func setArchived<T: NSObject & NSSecureCoding>(
        _ objects: [T], forKey key: some StoreKey, options: ValueOptions = [], durability: Durability? = nil
    ) throws(StorageError) {
        try setArchived(NSArray(array: objects), forKey: key, options: options, durability: durability)
    }
}

extension NamespaceReader {
    /// Returns the archived array of `key`; `nil` if the key is missing.
    ///
    /// See ``archived(_:forKey:allowing:)``; an element of another class than `type` also throws `.typeMismatch`.
    public func archivedArray<T: NSObject & NSSecureCoding>(
        of type: T.Type = T.self, forKey key: some StoreKey, allowing classes: ArchivedClasses = []
    ) throws(StorageError) -> [T]? {
        guard let payload = try archive(forKey: key) else { return nil }
        return try ObjectArchive.decodeAll(T.self, payload, classes)
    }

    /// Writes the archive of `key` to a file, like ``ArchiveFile``, without needing its classes.
    ///
    /// `importKeyedArchive(at:forKey:replacing:)` imports the file again.
    ///
    /// - Returns: False, with nothing written, if the key is missing.
    /// - Throws: The errors of reading an archive and of writing such a file.
    @discardableResult
    public func exportArchive(forKey key: some StoreKey, to file: ArchiveFile) throws(StorageError) -> Bool {
        guard let payload = try archive(forKey: key) else { return false }
        try file.write(archive: payload)
        return true
    }
}
