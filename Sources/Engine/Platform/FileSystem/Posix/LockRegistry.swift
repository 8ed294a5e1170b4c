#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The lock files that this process holds, by device and inode, so that symbolic links, bind mounts and hard links
/// can't bypass a lock.
///
/// `fork` copies the registry. The child empties its copy and closes the descriptors of its parent's locks. The kernel
/// then reports the parent's lock to the child for exactly as long as the parent holds it.
final class LockRegistry: @unchecked Sendable {
    static let shared: LockRegistry = {
        let registry = LockRegistry()
        // The forking thread holds the registry's lock during the fork, so that no other thread can hold it in the
        // child.
        pthread_atfork(
            { LockRegistry.shared.lock.lock() }, { LockRegistry.shared.lock.unlock() },
            {
                LockRegistry.shared.letGo()
                LockRegistry.shared.lock.unlock()
            })
        return registry
    }()

    private let lock = Lock()
    /// The descriptor of each lock file. Guarded by `lock`.
    private var held: [FileIdentity: Int32] = [:]

    /// Registers a lock file. Returns false if it was already registered.
    func insert(_ identity: FileIdentity, _ descriptor: Int32) -> Bool {
        lock.withLock {
            guard held[identity] == nil else { return false }
            held[identity] = descriptor
            return true
        }
    }

    func remove(_ identity: FileIdentity) { lock.withLock { held[identity] = nil } }

    /// Empties the registry in a child process. The caller holds `lock`.
    private func letGo() {
        for descriptor in held.values { _ = Descriptor(descriptor).close() }
        held = [:]
    }
}
