public import Foundation
public import ShaleBase

/// Arrays of archived objects, and archives between namespaces and files.
extension Namespace {
    /// Stores an array of objects as one keyed archive: objects that are shared in it stay so. As for one object.
    public func setArchived<T: NSObject & NSSecureCoding>(
        _ objects: [T], forKey key: some StoreKey, _ options: ValueOptions = [], durability: Durability? = nil
    ) throws(StorageError) {
        try setArchived(NSArray(array: objects), forKey: key, options, durability: durability)
    }

    /// The archived array of `key`; `nil` when the key is missing. As for one object; `.typeMismatch` also for an element of another
    /// class than `type`.
    public func archivedArray<T: NSObject & NSSecureCoding>(
        of type: T.Type = T.self, forKey key: some StoreKey, allowing classes: ArchivedClasses = []
    ) throws(StorageError) -> [T]? {
        guard let payload = try archive(forKey: key) else { return nil }
        return try ObjectArchive.decodeAll(T.self, payload, classes)
    }

    /// Writes the archive of `key` to a file, as ``ArchiveFile`` does; false, and nothing is written, when the key is
    /// missing. Its classes are not needed. `importKeyedArchive(at:forKey:replacing:)` is the way back.
    ///
    /// Errors: those of reading an archive and of writing such a file.
    @discardableResult
    public func exportArchive(forKey key: some StoreKey, to file: ArchiveFile) throws(StorageError) -> Bool {
        guard let payload = try archive(forKey: key) else { return false }
        try file.write(archive: payload)
        return true
    }
}
