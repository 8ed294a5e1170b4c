import ShaleBase
import ShalePlatform

/// The directory that a tree of ``FileStorage``s is in. Every storage has, when something was written to it, a directory with two
/// in it: `keys` holds its files, `nodes` the directories of its children (``NodeFileName``).
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

    func change<R>(_ body: () throws(IOFailure) -> R) throws(StorageError) -> R {
        lock.lock()
        defer { lock.unlock() }
        do throws(IOFailure) { return try body() } catch { throw error.storageError }
    }

    /// The directory at a path below the root; `nil` when it is missing.
    func directory(_ path: [String]) throws(IOFailure) -> (any Directory)? {
        var current = root
        for name in path {
            do throws(IOFailure) {
                current = try current.openDirectory(name, create: false)
            } catch {
                guard error.isMissing else { throw error }
                return nil
            }
        }
        return current
    }

    /// The directory at a path below the root, made if need be, with a durable name. Under the lock.
    func madeDirectory(_ path: [String]) throws(IOFailure) -> any Directory {
        var current = root
        for (index, name) in path.enumerated() {
            let inner = try current.openDirectory(name, create: true)
            // Whoever made it may have died before he could sync its name.
            let place = Array(path[...index])
            if !durable.withLock({ $0.contains(place) }) {
                try current.sync()
                _ = durable.withLock { $0.insert(place) }
            }
            current = inner
        }
        return current
    }

    /// Removes from a directory what storages have made, with all that is below. Other things are left alone, and the directories
    /// that hold them. Under the lock.
    func empty(_ directory: any Directory) throws(IOFailure) {
        durable.withLock { $0 = [] }
        for name in try directory.list() {
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
        try directory.sync()
    }
}
