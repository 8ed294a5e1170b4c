import ShaleBase
import ShalePlatform

/// A ``CodableStorage`` in a directory, with one file for each key.
///
/// A file (mode 0600) has a checksum and is written as a whole, durably: after a crash a key has its old or its new
/// value. Use it for large values, or for values that other tools back up as files. Thousands of small values belong in
/// a ``NamespaceStorage``.
///
/// Several processes may use one directory; the last write of a key wins. If one process clears while another writes,
/// the write may throw. An attacker can construct names and keys of more than 200 bytes with equal hashes. They are
/// kept apart only while one process at a time uses the directory.
public struct FileStorage: CodableStorage {
    private let tree: FileTree
    public let path: [String]

    /// Opens the tree in the directory `directory`. By default a missing directory is created with its parents, mode
    /// 0700. Links on the way to it are followed, but not at its last component and not below it.
    ///
    /// - Throws: `.missing` if the directory does not exist and `creating` is false; `.locked` if permission is
    ///   missing; `.ioFailure`.
    public init(at directory: String, creating: Bool = true) throws(StorageError) {
        try self.init(at: directory, creating: creating, PosixFileSystem())
    }

    package init(at directory: String, creating: Bool = true, _ files: any FileSystem) throws(StorageError) {
        do throws(IOFailure) {
            let root =
                creating
                ? try files.openPrivateDirectory(directory) : try files.openDirectory(directory, create: false)
            self.init(FileTree(root), [])
        } catch {
            throw error.storageError
        }
    }

    private init(_ tree: FileTree, _ path: [String]) {
        self.tree = tree
        self.path = path
    }

    public func child(_ name: String) -> FileStorage { FileStorage(tree, path + [name]) }

    // MARK: Values

    public func set<T: Codable>(_ value: T?, forKey key: String) throws(StorageError) {
        let file = try NodeKeyFile(key)
        guard let value else { return try remove(file) }
        let envelope = try EncodedValue.envelope(of: value)
        guard envelope.count <= NodeLimits.valueBytes else {
            throw StorageError(
                .invalidArgument, "a value is \(envelope.count) bytes, over the limit of \(NodeLimits.valueBytes)")
        }
        try tree.change { () throws(StorageError) in try file.set(envelope, in: try tree.createdKeysFolder(path)) }
    }

    private func remove(_ file: NodeKeyFile) throws(StorageError) {
        try tree.change { () throws(StorageError) in
            if let folder = try tree.folder(path, FileTree.keysName) { try file.remove(in: folder) }
        }
    }

    public func value<T: Codable>(forKey key: String, as type: T.Type) throws(StorageError) -> T? {
        let file = try NodeKeyFile(key)
        let envelope = try tree.reading(path) { (folder) throws(StorageError) in try file.envelope(in: folder) }
        return try envelope.map { (envelope) throws(StorageError) in
            try unsafe EncodedValue.decode(T.self, envelope.span.bytes)
        }
    }

    public func contains(_ key: String) throws(StorageError) -> Bool {
        let file = try NodeKeyFile(key)
        return try tree.reading(path) { (folder) throws(StorageError) in try file.exists(in: folder) } ?? false
    }

    // MARK: All of them

    /// Returns the keys; leaves out files whose names are no keys. Reads the files of long keys, because their names
    /// don't contain the whole key.
    public func keys() throws(StorageError) -> [String] {
        let keys = try tree.reading(path) { (folder) throws(StorageError) in try NodeKeyFile.keys(in: folder) } ?? []
        return keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Removes one file after the other: after a crash some may be left.
    public func truncate() throws(StorageError) { try empty(FileTree.keysName) }

    /// Removes one file after the other: after a crash some may be left. The tree's directory and foreign files in it
    /// stay.
    public func truncateSubtree() throws(StorageError) { try empty(nil) }

    private func empty(_ inner: String?) throws(StorageError) {
        try tree.change { () throws(StorageError) in
            guard let folder = try tree.folder(path, inner) else { return }
            do throws(IOFailure) { try tree.empty(folder) } catch { throw error.storageError }
        }
    }

    /// Does nothing: every write is durable when it returns.
    public func sync() throws(StorageError) {}
}
