package import ShaleBase
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
/// An exclusive lock on a file: `flock`, and an entry in the process's ``LockRegistry``.
///
/// POSIX record locks won't do: they vanish when the process closes any descriptor of the file. `flock` belongs to the
/// open description and dies with its owner, however that dies; the registry refuses a second opener in this process
/// at once and under every name of the file.
package final class PosixFileLock: FileLock {
    private let descriptor: Descriptor
    private let identity: FileIdentity
    private let process = getpid()
    private let isHeld = Atomic(true)

    init(_ descriptor: Descriptor, label: String) throws(IOFailure) {
        let identity = try descriptor.status(label).identity
        guard LockRegistry.shared.insert(identity) else { throw IOFailure("lock", label, EWOULDBLOCK) }
        do throws(IOFailure) {
            _ = try SystemCall.run("lock", label) { flock(descriptor.number, LOCK_EX | LOCK_NB) }
        } catch {
            LockRegistry.shared.remove(identity)
            throw error
        }
        self.descriptor = descriptor
        self.identity = identity
        writeHolder()
    }

    deinit { release() }

    package func release() {
        guard isHeld.exchange(false, ordering: .acquiringAndReleasing) else { return }
        // A child made by fork shares the description: its copy of this object must not free the parent's lock, and
        // the parent must free the lock even if a child keeps the description open.
        if getpid() == process { _ = flock(descriptor.number, LOCK_UN) }
        _ = descriptor.close()
        LockRegistry.shared.remove(identity)
    }

    package func publish(_ text: Bytes) throws(IOFailure) {
        let label = "the text of a lock"
        let written = try SystemCall.run("write", label) {
            unsafe Int32(pwrite(descriptor.number, text.start, text.count, 0))
        }
        // A rest of it is a text that is not whole, as its readers can tell; the next one may be.
        guard Int(written) == text.count else { throw IOFailure("write", label, ENOSPC) }
        _ = try SystemCall.run("truncate", label) { ftruncate(descriptor.number, off_t(text.count)) }
    }

    /// Whether somebody holds the lock on the file at `path`; false when there is none. Nothing is written, but whoever
    /// wants the lock at this very moment may be refused: for files whose owner tries again.
    package static func isHeld(_ path: String) throws(IOFailure) -> Bool {
        let file: Descriptor
        do throws(IOFailure) {
            file = try Descriptor(openedAt: path, flags: O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, path)
        } catch {
            if error.isMissing { return false }
            throw error
        }
        defer { _ = file.close() }
        if flock(file.number, LOCK_SH | LOCK_NB) == 0 { return false }
        guard errno == EWOULDBLOCK else { throw IOFailure("lock", path, errno) }
        return true
    }

    /// Names the holder for others' error messages. A courtesy: the lock holds whether or not the disk has room for
    /// the text, so a failure changes nothing.
    private func writeHolder() {
        let text = Array("pid=\(process)\n".utf8)
        guard ftruncate(descriptor.number, 0) == 0 else { return }
        _ = unsafe text.withUnsafeBytes { unsafe pwrite(descriptor.number, $0.baseAddress, $0.count, 0) }
    }
}
