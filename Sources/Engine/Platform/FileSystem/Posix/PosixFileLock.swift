package import ShaleBase
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An exclusive lock on a file: `flock`, plus an entry in the process's ``LockRegistry``.
///
/// POSIX record locks are unsuitable: they vanish when the process closes any descriptor of the file. `flock` belongs
/// to the open file description and ends with its owner, however that dies. The registry rejects a second opener in
/// this process, under every name of the file.
///
/// A child made by `fork` gets a copy of this object and a descriptor of the same description. The registry closes that
/// descriptor in the child. Otherwise the lock would outlive the parent for as long as the child lives.
package final class PosixFileLock: FileLock {
    private let descriptor: Descriptor
    private let identity: FileIdentity
    private let directory: Descriptor
    private let name: String
    private let label: String
    private let process = ForkWatch.shared.mark
    private let isHeld = Atomic(true)

    /// Locks `file`, which was opened as `name` in `directory`.
    init(_ file: Descriptor, _ name: String, in directory: Descriptor, label: String) throws(IOFailure) {
        let identity = try file.status(label).identity
        guard LockRegistry.shared.insert(identity, file.number) else { throw IOFailure("lock", label, EWOULDBLOCK) }
        do throws(IOFailure) {
            _ = try SystemCall.run("lock", label) { flock(file.number, LOCK_EX | LOCK_NB) }
        } catch {
            LockRegistry.shared.remove(identity)
            throw error
        }
        descriptor = file
        self.identity = identity
        self.directory = directory
        self.name = name
        self.label = label
    }

    deinit { release() }

    package func release() {
        guard isHeld.exchange(false, ordering: .acquiringAndReleasing) else { return }
        // In a child, the number may belong to another file by now.
        guard !process.isInChild else { return descriptor.abandon() }
        // Unlocks explicitly: a child made without libc's `fork` may keep the description open.
        _ = flock(descriptor.number, LOCK_UN)
        LockRegistry.shared.remove(identity)
        _ = descriptor.close()
    }

    package func verify() throws(IOFailure) { try identity.requireLock(name, in: directory, label) }

    package func publish(_ text: Bytes) throws(IOFailure) {
        guard !process.isInChild, isHeld.load(ordering: .relaxed) else { throw IOFailure("write", label, EBADF) }
        guard try descriptor.status(label).linkCount <= 1 else { throw IOFailure("write", label, EMLINK) }
        let written = try SystemCall.run("write", label) {
            unsafe Int32(pwrite(descriptor.number, text.start, text.count, 0))
        }
        // Readers can tell that a partial text is incomplete. A later attempt may succeed.
        guard Int(written) == text.count else { throw IOFailure("write", label, ENOSPC) }
        _ = try SystemCall.run("truncate", label) { ftruncate(descriptor.number, off_t(text.count)) }
    }

    package func heldPositions() throws(IOFailure) -> [UInt64] {
        guard !process.isInChild, isHeld.load(ordering: .relaxed) else { return [] }
        return try HeldPositions.find(descriptor, label)
    }

    /// Returns true if another opener holds the lock on the file at `path`; false if there is no such file.
    ///
    /// Writes nothing. An opener that tries to lock at the same moment may be refused, so use it only for files whose
    /// owner retries.
    package static func isHeld(_ path: String) throws(IOFailure) -> Bool {
        let file: Descriptor
        do throws(IOFailure) {
            file = try Descriptor(openedAt: path, flags: O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, path)
        } catch {
            if error.isMissing { return false }
            throw error
        }
        defer { _ = file.close() }
        do throws(IOFailure) {
            _ = try SystemCall.run("lock", path) { flock(file.number, LOCK_SH | LOCK_NB) }
            return false
        } catch {
            guard error.isWouldBlock else { throw error }
            return true
        }
    }
}

/// The lock files that this process holds, and those on which it holds positions, by device and inode, so that symbolic
/// links, bind mounts and hard links can't bypass a lock.
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
                LockRegistry.shared.closeInheritedLocks()
                LockRegistry.shared.lock.unlock()
            })
        return registry
    }()

    private let lock = Lock()
    /// The descriptor of each lock file. Guarded by `lock`.
    private var held: [FileIdentity: Int32] = [:]
    /// The descriptors by which this process holds positions. Guarded by `lock`.
    private var holding: Set<Int32> = []

    /// Registers a lock file. Returns false if it was already registered.
    func insert(_ identity: FileIdentity, _ descriptor: Int32) -> Bool {
        lock.withLock {
            guard held[identity] == nil else { return false }
            held[identity] = descriptor
            return true
        }
    }

    func remove(_ identity: FileIdentity) { lock.withLock { held[identity] = nil } }

    /// Registers a descriptor by which positions are held.
    func insert(holding descriptor: Int32) { lock.withLock { _ = holding.insert(descriptor) } }

    func remove(holding descriptor: Int32) { lock.withLock { _ = holding.remove(descriptor) } }

    /// Empties the registry in a child process. The caller holds `lock`.
    private func closeInheritedLocks() {
        for descriptor in held.values { _ = Descriptor(descriptor).close() }
        for descriptor in holding { _ = Descriptor(descriptor).close() }
        held = [:]
        holding = []
    }
}
