import ShaleBase
import ShalePlatform

/// A ``CodableStorage`` in a directory: a file, mode 0600, for each key, with a checksum, written as a whole and durable when the write
/// returns: after a crash at any moment a key has its old value or its new one. For values that are large or that other tools back up by
/// the file; thousands of small ones are better off in a ``NamespaceStorage``.
///
/// Several processes may use one directory; the last write of a key counts. Clearing and writing at the same time from two processes may make the
/// write throw. Names and keys of more than 200 bytes that somebody has made so that their hashes are equal are kept apart for one process
/// at a time only.
public struct FileStorage: CodableStorage {
    private let tree: FileTree
    public let path: [String]

    /// The tree in the directory `directory`: by default it is made, 0700, with those above it, when missing. Links on the way to
    /// it are followed, but none below it, and not the last.
    ///
    /// Errors: `.missing` when it is not there and not to be made, `.locked` without permission, `.ioFailure`.
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

    public func child(named name: String) -> FileStorage { FileStorage(tree, path + [name]) }

    // MARK: Values

    public func set<T: Codable>(_ value: T?, forKey key: String) throws(StorageError) {
        let file = try NodeKeyFile(key)
        guard let value else { return try remove(file) }
        let envelope = try EncodedValue.envelope(of: value)
        guard envelope.count <= NodeLimits.valueBytes else {
            throw StorageError(.invalidArgument, "a value is \(envelope.count) bytes, over the limit")
        }
        try tree.change { () throws(StorageError) in try file.set(envelope, in: try tree.madeKeysFolder(path)) }
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
        return try tree.reading(path) { (folder) throws(StorageError) in try file.isThere(in: folder) } ?? false
    }

    // MARK: All of them

    /// Files whose names are no keys are left out. Of long keys the files are read, because their names are not all of them.
    public func keys() throws(StorageError) -> [String] {
        let keys = try tree.reading(path) { (folder) throws(StorageError) in try NodeKeyFile.keys(in: folder) } ?? []
        return keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// One file after the other: a crash may leave some.
    public func clear() throws(StorageError) { try empty(FileTree.keysName) }

    /// One file after the other: a crash may leave some. The tree's directory itself, and what others have put into it, stay.
    public func clearHierarchy() throws(StorageError) { try empty(nil) }

    private func empty(_ inner: String?) throws(StorageError) {
        try tree.change { () throws(StorageError) in
            guard let folder = try tree.folder(path, inner) else { return }
            do throws(IOFailure) { try tree.empty(folder) } catch { throw error.storageError }
        }
    }

    /// Nothing is to be done: every write is durable when it returns.
    public func synchronize() throws(StorageError) {}
}
