/// The lock files that this process holds, by device and inode, so that symbolic links, bind mounts and hard links are
/// no way around a lock.
final class LockRegistry: Sendable {
    static let shared = LockRegistry()

    private let held = Guarded<Set<FileIdentity>>([])

    /// False when it was there.
    func insert(_ identity: FileIdentity) -> Bool { held.withLock { $0.insert(identity).inserted } }

    func remove(_ identity: FileIdentity) { held.withLock { _ = $0.remove(identity) } }
}
