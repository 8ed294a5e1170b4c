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

/// The calls that make things durable.
///
/// A failure is final: the kernel forgets what it could not write, and a second sync would report success. `EINTR` is no
/// such failure, and is retried. It says that a signal ended the wait, so the call has given no verdict: what was dirty is
/// still dirty or on its way, and an error of writing it back, which is reported as itself (EIO, ENOSPC, EDQUOT), is
/// still to be reported. PostgreSQL does the same. A file system in user space that answers writes with EINTR is
/// beyond this, as a device is that lies about flushes.
enum PosixSync {
    /// What a successful sync is worth.
    enum Outcome {
        /// On the medium.
        case durable
        /// As far as this file system goes: handed to the device, or to a server, without a flush of its cache.
        case reduced
    }

    /// Content and size of a file.
    static func file(_ descriptor: Int32, _ name: @autoclosure () -> String) throws(IOFailure) -> Outcome {
        #if canImport(Darwin)
            return try full(descriptor, name())
        #else
            _ = try SystemCall.run("fdatasync", name()) { fdatasync(descriptor) }
            return .durable
        #endif
    }

    /// The names in a directory.
    static func directory(_ descriptor: Int32, _ name: @autoclosure () -> String) throws(IOFailure) -> Outcome {
        #if canImport(Darwin)
            return try full(descriptor, name())
        #else
            do throws(IOFailure) {
                _ = try SystemCall.run("fsync", name()) { fsync(descriptor) }
                return .durable
            } catch {
                // Some network and guest file systems know no sync of directories and say so, always: no write was lost.
                guard isUnsupported(error.errorNumber) else { throw error }
                return .reduced
            }
        #endif
    }

    /// Everything in the file system of `descriptor`.
    static func fileSystem(_ descriptor: Int32, _ name: @autoclosure () -> String) throws(IOFailure) {
        #if canImport(Darwin)
            // Flushes the device, and with it the file system's journal.
            _ = try full(descriptor, name())
        #else
            _ = try SystemCall.run("syncfs", name()) { syncfs(descriptor) }
        #endif
    }

    #if canImport(Darwin)
        /// `fsync` leaves data in the drive's cache on Darwin; only F_FULLFSYNC empties it. File systems that refuse
        /// it (network, FAT) get what they have.
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
