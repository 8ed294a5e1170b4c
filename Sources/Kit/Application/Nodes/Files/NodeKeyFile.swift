import ShaleBase
import ShalePlatform

/// The file that contains a key: a file of its own, or for a long key the file of all keys with its hash.
struct NodeKeyFile {
    private let key: [UInt8]
    private let name: String
    /// True if the file may contain other keys.
    private let isShared: Bool

    init(_ key: String) throws(StorageError) {
        try NodeLimits.check(key)
        let bytes = Array(key.utf8)
        if let literal = NodeFileName.literal(key, .key) {
            self.init(bytes, literal, isShared: false)
        } else {
            self.init(bytes, NodeFileName.longKeys(NameBucket.hash(bytes)), isShared: true)
        }
    }

    private init(_ key: [UInt8], _ name: String, isShared: Bool) {
        self.key = key
        self.name = name
        self.isShared = isShared
    }

    func envelope(in folder: any Directory) throws(StorageError) -> [UInt8]? {
        guard let bucket = try NodeFile.read(name, in: folder) else { return nil }
        if let envelope = bucket[key] { return envelope }
        guard isShared else { throw .corruption("the file belongs to another key", file: name) }
        return nil
    }

    /// Returns true if the key exists. Does not read a file that can't contain other keys.
    func exists(in folder: any Directory) throws(StorageError) -> Bool {
        if isShared { return try envelope(in: folder) != nil }
        do throws(IOFailure) { return try folder.exists(name) } catch { throw error.storageError }
    }

    /// Sets the key. Call it in a change of the tree.
    func set(_ envelope: [UInt8], in folder: any Directory) throws(StorageError) {
        var bucket = isShared ? try NodeFile.read(name, in: folder) ?? NameBucket() : NameBucket()
        bucket[key] = envelope
        try NodeFile.write(bucket, name, in: folder)
    }

    /// Removes the key. Call it in a change of the tree.
    func remove(in folder: any Directory) throws(StorageError) {
        if isShared {
            guard var bucket = try NodeFile.read(name, in: folder), bucket[key] != nil else { return }
            bucket[key] = nil
            if !bucket.entries.isEmpty { return try NodeFile.write(bucket, name, in: folder) }
        }
        do throws(IOFailure) {
            guard try folder.exists(name) else { return }
            try folder.remove(name)
            try folder.sync()
        } catch {
            throw error.storageError
        }
    }

    /// Returns all keys in a folder, in no order.
    static func keys(in folder: any Directory) throws(StorageError) -> [String] {
        let names: [String]
        do throws(IOFailure) { names = try folder.list() } catch { throw error.storageError }
        var keys: [String] = []
        for name in names {
            if let key = NodeFileName.key(name) {
                keys.append(key)
            } else if NodeFileName.isLongKeys(name), let bucket = try NodeFile.read(name, in: folder) {
                keys += try longKeys(bucket, name)
            }
        }
        return keys
    }

    private static func longKeys(_ bucket: NameBucket, _ name: String) throws(StorageError) -> [String] {
        var keys: [String] = []
        for (bytes, _) in bucket.entries {
            guard let key = String(validating: bytes, as: UTF8.self),
                NodeFileName.longKeys(NameBucket.hash(bytes)) == name
            else { throw .corruption("the file belongs to another key", file: name) }
            keys.append(key)
        }
        return keys
    }
}
