import ShaleBase
import ShalePlatform

/// A ``CodableStorage`` in a directory: a file, mode 0600, for each key, with a checksum, written as a whole and durable when the write
/// returns: after a crash at any moment a key has its old value or its new one. For values that are large or that other tools back up by
/// the file; thousands of small ones are better off in a ``NamespaceStorage``.
///
/// Several processes may use one directory; the last write of a key counts. Clearing and writing at the same time from two processes may make the
/// write throw.
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

    /// The directories from the tree's to this storage's.
    private func place() throws(StorageError) -> [String] {
        var place: [String] = []
        for name in path {
            try NodeLimits.check(name)
            place += [FileTree.nodesName, try NodeFileName.of(name, .node)]
        }
        return place
    }

    // MARK: Values

    private func keysPlace() throws(StorageError) -> [String] { try place() + [FileTree.keysName] }

    public func set<T: Codable>(_ value: T?, forKey key: String) throws(StorageError) {
        try NodeLimits.check(key)
        let name = try NodeFileName.of(key, .key)
        guard let value else { return try remove(name) }
        let content = try EncodedValue.envelope(of: value)
        guard content.count <= NodeLimits.valueBytes else {
            throw StorageError(.invalidArgument, "a value is \(content.count) bytes, over the limit")
        }
        let file = NodeFile.bytes(key, content)
        let place = try keysPlace()
        try tree.change { () throws(IOFailure) in
            let folder = try tree.madeDirectory(place)
            try unsafe file.span.bytes.withUnsafeBytes { (bytes) throws(IOFailure) in
                try folder.replace(name, with: unsafe Bytes(bytes))
            }
        }
    }

    private func remove(_ name: String) throws(StorageError) {
        let place = try keysPlace()
        try tree.change { () throws(IOFailure) in
            guard let folder = try tree.directory(place), try folder.exists(name) else { return }
            try folder.remove(name)
            try folder.sync()
        }
    }

    public func value<T: Codable>(forKey key: String, as type: T.Type) throws(StorageError) -> T? {
        try NodeLimits.check(key)
        let name = try NodeFileName.of(key, .key)
        guard let (found, envelope) = try file(name) else { return nil }
        guard found == Array(key.utf8) else { throw .corruption("a file is that of another key", file: name) }
        return try unsafe EncodedValue.decode(T.self, envelope.span.bytes)
    }

    /// `nil` when there is none.
    private func file(_ name: String) throws(StorageError) -> (key: [UInt8], envelope: [UInt8])? {
        let bytes: [UInt8]?
        let place = try keysPlace()
        do throws(IOFailure) {
            bytes = try tree.directory(place)?.content(of: name, limit: NodeFile.bytesMax)
        } catch {
            guard error.isMissing else { throw error.storageError }
            return nil
        }
        guard let bytes else { return nil }
        return try NodeFile.parse(bytes, name)
    }

    public func contains(_ key: String) throws(StorageError) -> Bool {
        try NodeLimits.check(key)
        let name = try NodeFileName.of(key, .key)
        let place = try keysPlace()
        do throws(IOFailure) {
            return try tree.directory(place)?.exists(name) ?? false
        } catch {
            throw error.storageError
        }
    }

    // MARK: All of them

    /// Files whose names are no keys are left out. Of long keys the files are read, because their names are not all of them.
    public func keys() throws(StorageError) -> [String] {
        let names: [String]
        let place = try keysPlace()
        do throws(IOFailure) {
            names = try tree.directory(place)?.list() ?? []
        } catch {
            throw error.storageError
        }
        var keys: [String] = []
        for name in names where NodeFileName.kind(of: name) == .key {
            if let key = NodeFileName.name(name) {
                keys.append(key)
            } else if name.hasPrefix("kh-"), let bytes = try file(name)?.key {
                guard let key = String(validating: bytes, as: UTF8.self), try NodeFileName.of(key, .key) == name else {
                    throw .corruption("a file is that of another key", file: name)
                }
                keys.append(key)
            }
        }
        return keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// One file after the other: a crash may leave some.
    public func clear() throws(StorageError) { try empty(keysPlace()) }

    /// One file after the other: a crash may leave some. The tree's directory itself, and what others have put into it, stay.
    public func clearHierarchy() throws(StorageError) { try empty(place()) }

    private func empty(_ place: [String]) throws(StorageError) {
        try tree.change { () throws(IOFailure) in
            if let folder = try tree.directory(place) { try tree.empty(folder) }
        }
    }

    /// Nothing is to be done: every write is durable when it returns.
    public func synchronize() throws(StorageError) {}
}
