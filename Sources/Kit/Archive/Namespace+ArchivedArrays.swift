public import Foundation
public import ShaleBase

/// Arrays of archived objects, and archives between namespaces and files.
extension Namespace {
    /// Stores an array of objects as one keyed archive, so that objects shared in it stay shared. See
    /// ``setArchived(_:forKey:_:durability:)``.
    public func setArchived<T: NSObject & NSSecureCoding>(
        _ objects: [T], forKey key: some StoreKey, _ options: ValueOptions = [], durability: Durability? = nil
    ) throws(StorageError) {
        try setArchived(NSArray(array: objects), forKey: key, options, durability: durability)
    }

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
