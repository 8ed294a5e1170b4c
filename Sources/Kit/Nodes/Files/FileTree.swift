import ShaleBase
import ShalePlatform

/// The directory that a tree of ``FileStorage``s is in. Every storage has, when something was written to it, a directory with two
/// in it: `keys` holds its files, `nodes` the directories of its children (``NodeFolder``).
///
/// Nothing is looked up by path, and no link is followed: each step is relative to a directory that is open.
final class FileTree: Sendable {
    static let keysName = "keys"
    static let nodesName = "nodes"

    private let root: any Directory
    /// Held while something changes, so that no directory goes away under who writes into it.
    private let lock = Lock()
    /// Directories whose names are known to be durable, by their paths.
    private let durable = Guarded<Set<[String]>>([])

    init(_ root: any Directory) { self.root = root }

    func change<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }

    /// Runs `body` with the directory of a storage's files; `nil` when it is missing.
    func reading<R>(
        _ names: [String], _ body: (any Directory) throws(StorageError) -> R?
    ) throws(StorageError) -> R? {
        func read() throws(StorageError) -> R? {
            guard let keys = try folder(names, FileTree.keysName) else { return nil }
            return try body(keys)
        }
        // Where all was cleared meanwhile, a directory may be that of another name with the same hash.
        let isShared = names.contains { NodeFileName.spelt($0, .node) == nil }
        return isShared ? try change(read) : try read()
    }

    /// The directory of a storage, or `inner` in it; `nil` when it is missing.
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

    /// The directory of a storage's files, made if need be, with a durable name. In a ``change(_:)``.
    func madeKeysFolder(_ names: [String]) throws(StorageError) -> any Directory {
        var (current, place) = (root, [String]())
        func enter(_ name: String) throws(StorageError) {
            place.append(name)
            current = try made(name, in: current, place)
        }
        for name in names {
            try NodeLimits.check(name)
            try enter(FileTree.nodesName)
            try enter(try NodeFolder(of: name).entered(in: current))
        }
        try enter(FileTree.keysName)
        return current
    }

    private func made(
        _ name: String, in directory: any Directory, _ place: [String]
    ) throws(StorageError) -> any Directory {
        do throws(IOFailure) {
            let inner = try directory.openDirectory(name, create: true)
            // Whoever made it may have died before he could sync its name.
            if !durable.withLock({ $0.contains(place) }) {
                try directory.sync()
                _ = durable.withLock { $0.insert(place) }
            }
            return inner
        } catch {
            throw error.storageError
        }
    }

    /// Removes from a directory what storages have made, with all that is below. Other things are left alone, and the directories
    /// that hold them. In a ``change(_:)``.
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
        // Their directories have nothing in them any more.
        for name in names where NodeFileName.kind(of: name) == .register { try directory.remove(name) }
        try directory.sync()
    }
}
