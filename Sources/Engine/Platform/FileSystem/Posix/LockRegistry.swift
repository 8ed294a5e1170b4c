#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The lock files that this process holds, by device and inode, so that symbolic links, bind mounts and hard links are
/// no way around a lock.
///
/// `fork` copies the registry. The child begins with an empty one, and without the descriptors of its parent's locks:
/// the kernel then tells the child that the parent holds a lock, for exactly as long as the parent does.
final class LockRegistry: @unchecked Sendable {
    static let shared: LockRegistry = {
        let registry = LockRegistry()
        // The forking thread holds the lock while it forks, so that no other thread can hold it in the child.
        pthread_atfork(
            { LockRegistry.shared.lock.lock() }, { LockRegistry.shared.lock.unlock() },
            {
                LockRegistry.shared.letGo()
                LockRegistry.shared.lock.unlock()
            })
        return registry
    }()

    private let lock = Lock()
    /// The descriptor of each lock's file. Under `lock`.
    private var held: [FileIdentity: Int32] = [:]

    /// False when it was there.
    func insert(_ identity: FileIdentity, _ descriptor: Int32) -> Bool {
        lock.withLock {
            guard held[identity] == nil else { return false }
            held[identity] = descriptor
            return true
        }
    }

    func remove(_ identity: FileIdentity) { lock.withLock { held[identity] = nil } }

    /// In the child, under `lock`.
    private func letGo() {
        for descriptor in held.values { _ = Descriptor(descriptor).close() }
        held = [:]
    }
}
