import ShaleBase
import ShalePlatform

/// The directory of a tree of ``FileStorage``s. Each storage to which something was written has a directory with two
/// others in it: `keys` holds its files, `nodes` the directories of its children (``NodeFolder``).
///
/// Nothing is looked up by path, and no link is followed: each step is relative to an open directory.
final class FileTree: Sendable {
    static let keysName = "keys"
    static let nodesName = "nodes"

    private let root: any Directory
    /// Held during changes, so that no directory is removed while a thread writes to it.
    private let lock = Lock()
    /// The paths of directories whose names are known to be durable.
    private let durable = Locked<Set<[String]>>([])

    init(_ root: any Directory) { self.root = root }

    func change<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }

    /// Runs `body` with the directory of a storage's files; returns `nil` if it is missing.
    func reading<R>(
        _ names: [String], _ body: (any Directory) throws(StorageError) -> R?
    ) throws(StorageError) -> R? {
        func read() throws(StorageError) -> R? {
            guard let keys = try folder(names, FileTree.keysName) else { return nil }
            return try body(keys)
        }
        // If the tree is cleared meanwhile, a directory may then belong to another name with the same hash. Such reads
        // hold the lock.
        let isShared = names.contains { NodeFileName.literal($0, .node) == nil }
        return isShared ? try change(read) : try read()
    }

    /// Returns the directory of a storage, or `inner` in it; `nil` if it is missing.
    func folder(_ names: [String], _ inner: String?) throws(StorageError) -> (any Directory)? {
        var current = root
        for name in names {
            try NodeLimits.check(name)
            guard let nodes = try existing(FileTree.nodesName, in: current),
                let folder = try NodeFolder(of: name).existing(in: nodes),
                let next = try existing(folder, in: nodes)
            else { return nil }
            current = next
        }
        guard let inner else { return current }
        return try existing(inner, in: current)
    }

    private func existing(_ name: String, in directory: any Directory) throws(StorageError) -> (any Directory)? {
        do throws(IOFailure) {
            return try directory.openDirectory(name, create: false)
        } catch {
            guard error.isMissing else { throw error.storageError }
            return nil
        }
    }

    /// Returns the directory of a storage's files, with a durable name. Creates it if it is missing. Call it in
    /// ``change(_:)``.
    func createdKeysFolder(_ names: [String]) throws(StorageError) -> any Directory {
        var (current, location) = (root, [String]())
        func enter(_ name: String) throws(StorageError) {
            location.append(name)
            current = try created(name, in: current, location)
        }
        for name in names {
            try NodeLimits.check(name)
            try enter(FileTree.nodesName)
            try enter(try NodeFolder(of: name).registered(in: current))
        }
        try enter(FileTree.keysName)
        return current
    }

    private func created(
        _ name: String, in directory: any Directory, _ location: [String]
    ) throws(StorageError) -> any Directory {
        do throws(IOFailure) {
            let inner = try directory.openDirectory(name, create: true)
            // Another process may have created the directory and died before it synced the name.
            if !durable.withLock({ $0.contains(location) }) {
                try directory.sync()
                _ = durable.withLock { $0.insert(location) }
            }
            return inner
        } catch {
            throw error.storageError
        }
    }

    /// Removes everything from a directory that storages have created, at any depth. Foreign files and the directories
    /// that contain them stay. Call it in ``change(_:)``.
    func empty(_ directory: any Directory) throws(IOFailure) {
        durable.withLock { $0 = [] }
        let names = try directory.list()
        for name in names {
            if NodeFileName.kind(of: name) == .key || name.hasPrefix(type(of: directory).unfinishedPrefix) {
                try directory.remove(name)
            } else if NodeFileName.kind(of: name) == .node || name == FileTree.keysName || name == FileTree.nodesName {
                try empty(try directory.openDirectory(name, create: false))
                do throws(IOFailure) {
                    try directory.removeDirectory(name)
                } catch {
                    guard error.isNotEmpty else { throw error }
                }
            }
        }
        // The directories of these names are empty now.
        for name in names where NodeFileName.kind(of: name) == .register { try directory.remove(name) }
        try directory.sync()
    }
}
