import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport

@testable import ShaleEngine

/// A simulated disk whose syncs a test can delay or hold up. The hooks run on the syncing thread, outside all locks of
/// the disk, with the path of the synced file: one before the sync, one after its success.
final class HookedFileSystem: FileSystem {
    typealias Hook = @Sendable (_ path: String) -> Void

    let files: SimulatedFileSystem
    private let hooks: SyncHooks

    init(_ files: SimulatedFileSystem, afterSync after: @escaping Hook = { _ in }, beforeSync before: @escaping Hook) {
        self.files = files
        hooks = SyncHooks(before: before, after: after)
    }

    func openDirectory(_ path: String, create: Bool) throws(IOFailure) -> any Directory {
        HookedDirectory(try files.openDirectory(path, create: create), "", hooks)
    }
}

private struct SyncHooks {
    let before: HookedFileSystem.Hook
    let after: HookedFileSystem.Hook
}

private final class HookedDirectory: Directory {
    let inner: any Directory
    let prefix: String
    let hooks: SyncHooks

    init(_ inner: any Directory, _ prefix: String, _ hooks: SyncHooks) {
        self.inner = inner
        self.prefix = prefix
        self.hooks = hooks
    }

    var path: String { inner.path }
    var identity: FileIdentity { inner.identity }
    var durabilityIsReduced: Bool { inner.durabilityIsReduced }
    var isOpenToOthers: Bool { inner.isOpenToOthers }
    var isPrivate: Bool { inner.isPrivate }

    func create(_ name: String) throws(IOFailure) -> any WritableFile {
        HookedFile(try inner.create(name), prefix + name, hooks)
    }

    func open(_ name: String) throws(IOFailure) -> any ReadableFile { try inner.open(name) }

    func reopen(_ name: String) throws(IOFailure) -> any WritableFile {
        HookedFile(try inner.reopen(name), prefix + name, hooks)
    }

    func openDirectory(_ name: String, create: Bool) throws(IOFailure) -> any Directory {
        HookedDirectory(try inner.openDirectory(name, create: create), prefix + name + "/", hooks)
    }

    func exists(_ name: String) throws(IOFailure) -> Bool { try inner.exists(name) }
    func list() throws(IOFailure) -> [String] { try inner.list() }

    func rename(_ name: String, to newName: String, in target: any Directory) throws(IOFailure) {
        try inner.rename(name, to: newName, in: HookedDirectory.unwrapped(target))
    }

    func link(_ name: String, to newName: String, in target: any Directory) throws(IOFailure) {
        try inner.link(name, to: newName, in: HookedDirectory.unwrapped(target))
    }

    private static func unwrapped(_ directory: any Directory) -> any Directory {
        (directory as? HookedDirectory)?.inner ?? directory
    }

    func remove(_ name: String) throws(IOFailure) { try inner.remove(name) }
    func removeInSteps(_ name: String) throws(IOFailure) { try inner.removeInSteps(name) }
    func removeAndCut(_ name: String) throws(IOFailure) { try inner.removeAndCut(name) }
    func removeDirectory(_ name: String) throws(IOFailure) { try inner.removeDirectory(name) }

    func sync() throws(IOFailure) {
        hooks.before(prefix)
        try inner.sync()
        hooks.after(prefix)
    }

    func lock(_ name: String) throws(IOFailure) -> any FileLock { try inner.lock(name) }
    func openHolds(_ name: String) throws(IOFailure) -> any FileHolds { try inner.openHolds(name) }
    func freeBytes() throws(IOFailure) -> UInt64 { try inner.freeBytes() }
}

private final class HookedFile: WritableFile {
    private let inner: any WritableFile
    private let path: String
    private let hooks: SyncHooks

    init(_ inner: any WritableFile, _ path: String, _ hooks: SyncHooks) {
        self.inner = inner
        self.path = path
        self.hooks = hooks
    }

    var name: String { inner.name }
    var keepsReservations: Bool { inner.keepsReservations }
    func write(_ bytes: Bytes, at offset: UInt64) throws(IOFailure) { try inner.write(bytes, at: offset) }
    func preallocate(_ size: UInt64) throws(IOFailure) { try inner.preallocate(size) }
    func truncate(to size: UInt64) throws(IOFailure) { try inner.truncate(to: size) }

    func sync() throws(IOFailure) {
        hooks.before(path)
        try inner.sync()
        hooks.after(path)
    }

    func isOnMedium(first count: UInt64) throws(IOFailure) -> Bool { try inner.isOnMedium(first: count) }

    func close() throws(IOFailure) { try inner.close() }
}

extension Committer {
    /// True if a caller waits for the end of the running sync or of all groups.
    var hasDrainWaiters: Bool { lock.withLock { drainWaiters > 0 } }

    /// True if `members` writers wait for the next sync.
    func hasGathered(_ members: Int) -> Bool { lock.withLock { pending.count >= members } }
}

/// Holds up log syncs until a group of synced writers waits for the next sync, as a slow disk does.
final class GroupGathering: Sendable {
    /// Weak, because the committer's files refer to this object.
    private struct Watched {
        weak var committer: Committer?
    }

    private let watched = Locked(Watched())
    private let members: Int

    init(_ members: Int) { self.members = members }

    /// Begins to hold up the syncs of `engine`.
    func watch(_ engine: Engine) {
        let committer = engine.core.committer
        watched.withLock { $0.committer = committer }
    }

    /// The hook before a sync. Returns when the group waits, when a caller waits for the end of all groups, and after
    /// 2 ms: by then no more writers come.
    func gather(_ path: String) {
        guard path.hasPrefix("wal/"), let committer = watched.withLock({ $0.committer }) else { return }
        _ = eventually(within: .milliseconds(2)) { committer.hasGathered(members) || committer.hasDrainWaiters }
    }
}
