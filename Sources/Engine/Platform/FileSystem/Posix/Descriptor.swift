import ShaleBase
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An open file descriptor with one owner, closed by `close` or at the latest by `deinit`.
///
/// After `close`, every use fails with `EBADF`. If a thread closed the descriptor while another is inside a call, that
/// call could hit the file that gets the number next. Users that share a descriptor therefore share a reference and
/// leave closing to `deinit`.
final class Descriptor: Sendable {
    private static let closed: Int32 = -1
    private let storage: Atomic<Int32>

    init(_ number: Int32) { storage = Atomic(number) }

    convenience init(openedAt path: String, flags: Int32, _ file: @autoclosure () -> String) throws(IOFailure) {
        self.init(try SystemCall.run("open", file()) { unsafe open(path, flags) })
    }

    deinit { _ = close() }

    @inline(__always)
    var number: Int32 { storage.load(ordering: .relaxed) }

    /// Closes the descriptor. Idempotent: a second close returns 0.
    ///
    /// - Returns: The error number, or 0.
    func close() -> Int32 {
        let number = storage.exchange(Descriptor.closed, ordering: .acquiringAndReleasing)
        guard number >= 0 else { return 0 }
        #if canImport(Darwin)
            let status = Darwin.close(number)
        #elseif canImport(Musl)
            let status = Musl.close(number)
        #else
            let status = Glibc.close(number)
        #endif
        // Linux has released the number even if it reports EINTR: a second close could close another thread's file.
        return status == 0 || errno == EINTR ? 0 : errno
    }

    /// Forgets the number without closing it: another file may own it by now.
    func abandon() { storage.store(Descriptor.closed, ordering: .relaxed) }

    func status(_ file: @autoclosure () -> String) throws(IOFailure) -> FileStatus {
        var status = stat()
        _ = try SystemCall.run("fstat", file()) { unsafe fstat(number, &status) }
        return FileStatus(status)
    }

    /// Sets exactly these permissions on a file that was just created: `open` and `mkdir` remove the umask's bits.
    func setPermissions(_ permissions: mode_t, _ file: @autoclosure () -> String) throws(IOFailure) {
        guard try status(file()).permissions != permissions else { return }
        _ = try SystemCall.run("fchmod", file()) { fchmod(number, permissions) }
    }
}

/// The result of `fstat`, with the same types on every platform.
struct FileStatus {
    let identity: FileIdentity
    let isRegular: Bool
    let isDirectory: Bool
    let permissions: mode_t
    let owner: uid_t
    let size: UInt64
    let linkCount: UInt64

    /// Reads the status of `name` in `directory`; does not follow a symbolic link.
    init(of name: String, in directory: Descriptor, _ file: @autoclosure () -> String) throws(IOFailure) {
        var status = stat()
        _ = try SystemCall.run("stat", file()) {
            unsafe fstatat(directory.number, name, &status, AT_SYMLINK_NOFOLLOW)
        }
        self.init(status)
    }

    init(_ status: stat) {
        identity = FileIdentity(
            device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino))
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        permissions = status.st_mode & 0o7777
        owner = status.st_uid
        size = UInt64(max(0, status.st_size))
        linkCount = UInt64(truncatingIfNeeded: status.st_nlink)
    }
}

extension FileIdentity {
    /// Throws `ESTALE`, as a failure of the lock on the file, unless `name` in `directory` leads to it.
    func requireLock(_ name: String, in directory: Descriptor, _ label: String) throws(IOFailure) {
        let status: FileStatus
        do throws(IOFailure) {
            status = try FileStatus(of: name, in: directory, label)
        } catch {
            guard error.isMissing else { throw error }
            throw IOFailure("lock", label, ESTALE)
        }
        guard status.identity == self else { throw IOFailure("lock", label, ESTALE) }
    }
}

/// Makes system calls: repeats a call that a signal interrupted, and turns a failure into an ``IOFailure``.
///
/// This covers every call: the application's signal handlers may lack SA_RESTART, and some calls ignore that flag.
enum SystemCall {
    @inline(__always)
    static func run<Result: SignedInteger>(
        _ operation: String, _ file: @autoclosure () -> String, _ call: () -> Result
    ) throws(IOFailure) -> Result {
        while true {
            let result = call()
            if result >= 0 { return result }
            let number = errno
            if number != EINTR { throw IOFailure(operation, file(), number) }
        }
    }
}
