import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
#if os(Linux)
    import CLinux
#endif

/// The system calls that make data durable.
///
/// A failure is final: the kernel drops what it could not write, and a second sync would report success.
///
/// `EINTR` is different, and is retried (PostgreSQL does the same):
/// 1. It means that a signal ended the wait, so the call has reported no outcome.
/// 2. What was dirty is still dirty or being written.
/// 3. An error of the writeback has its own number (EIO, ENOSPC, EDQUOT), and a later call still reports it.
///
/// A user-space file system that answers writes with EINTR is out of scope, like a device that ignores flushes.
enum PosixSync {
    /// The guarantee of a successful sync.
    enum Outcome {
        /// The data is on the medium.
        case durable
        /// The data is handed to the device or server, without a flush of its cache: this file system offers nothing
        /// stronger.
        case reduced
    }

    /// Syncs the content and size of a file.
    static func file(_ descriptor: Int32, _ name: @autoclosure () -> String) throws(IOFailure) -> Outcome {
        #if canImport(Darwin)
            return try full(descriptor, name())
        #else
            _ = try SystemCall.run("fdatasync", name()) { fdatasync(descriptor) }
            return .durable
        #endif
    }

    /// Syncs the names in a directory.
    static func directory(_ descriptor: Int32, _ name: @autoclosure () -> String) throws(IOFailure) -> Outcome {
        #if canImport(Darwin)
            return try full(descriptor, name())
        #else
            do throws(IOFailure) {
                _ = try SystemCall.run("fsync", name()) { fsync(descriptor) }
                return .durable
            } catch {
                // Some network and guest file systems don't support syncs of directories, and always report that: no
                // write was lost.
                guard isUnsupported(error.errorNumber) else { throw error }
                return .reduced
            }
        #endif
    }

    /// Syncs everything in the file system of `descriptor`.
    static func fileSystem(_ descriptor: Int32, _ name: @autoclosure () -> String) throws(IOFailure) {
        #if canImport(Darwin)
            // Flushes the device, and with it the file system's journal.
            _ = try full(descriptor, name())
        #else
            _ = try SystemCall.run("syncfs", name()) { syncfs(descriptor) }
        #endif
    }

    #if canImport(Darwin)
        /// Calls F_FULLFSYNC: on Darwin, `fsync` leaves data in the drive's cache. On file systems without it (network,
        /// FAT), falls back to `fsync`.
        private static func full(_ descriptor: Int32, _ name: @autoclosure () -> String) throws(IOFailure) -> Outcome {
            do throws(IOFailure) {
                _ = try SystemCall.run("F_FULLFSYNC", name()) { fcntl(descriptor, F_FULLFSYNC) }
                return .durable
            } catch {
                guard isUnsupported(error.errorNumber) else { throw error }
            }
            _ = try SystemCall.run("fsync", name()) { fsync(descriptor) }
            return .reduced
        }
    #endif

    private static func isUnsupported(_ number: Int32) -> Bool {
        number == ENOTSUP || number == EINVAL || number == ENOTTY
    }
}
