package import ShaleBase
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import CLinux
    import Musl
#else
    import CLinux
    import Glibc
#endif

/// Held positions as shared record locks, each on one byte of the lock file, of the open file description
/// (`F_OFD_SETLK`).
///
/// 1. The kernel ends them with the last descriptor of the description, so also with the death of the process. A child
///    made by `fork` closes its copy.
/// 2. A shared lock needs no write access, and the file needs no such byte. Every reader can take the same one.
/// 3. They don't disturb the `flock` of the store's owner, and no `close` of another descriptor ends them.
///
/// Darwin has neither such locks of descriptions nor record locks that are independent of `flock`, so holding throws
/// `ENOTSUP` there.
package final class PosixFileHolds: FileHolds {
    private let descriptor: Descriptor
    private let identity: FileIdentity
    private let directory: Descriptor
    private let name: String
    private let label: String
    private let process = ForkWatch.shared.mark

    /// Takes `file`, which was opened as `name` in `directory`.
    init(_ file: Descriptor, _ name: String, in directory: Descriptor, label: String) throws(IOFailure) {
        identity = try file.status(label).identity
        descriptor = file
        self.directory = directory
        self.name = name
        self.label = label
        LockRegistry.shared.insert(holding: file.number)
    }

    deinit { close() }

    package func hold(_ position: UInt64) throws(IOFailure) {
        guard position <= FileHoldLimits.positionMax else { throw IOFailure("lock", label, EINVAL) }
        guard !process.isInChild else { throw IOFailure("lock", label, EBADF) }
        #if canImport(Darwin)
            throw IOFailure("lock", label, ENOTSUP)
        #else
            _ = try SystemCall.run("lock", label) { RecordLock.set(descriptor, position, Int16(F_RDLCK)) }
        #endif
    }

    package func release(_ position: UInt64) {
        guard !process.isInChild else { return }
        #if !canImport(Darwin)
            // Unlocking one byte fails only without memory for two locks in place of one; `close` ends it then.
            _ = RecordLock.set(descriptor, position, Int16(F_UNLCK))
        #endif
    }

    package func verify() throws(IOFailure) { try identity.requireLock(name, in: directory, label) }

    package func close() {
        // In a child, the number may belong to another file by now.
        guard !process.isInChild else { return descriptor.abandon() }
        let number = descriptor.number
        guard number >= 0 else { return }
        LockRegistry.shared.remove(holding: number)
        _ = descriptor.close()
    }
}

/// The positions that other openers hold on a lock file.
enum HeldPositions {
    static func find(_ file: Descriptor, _ label: String) throws(IOFailure) -> [UInt64] {
        #if canImport(Darwin)
            return []
        #else
            var found: Set<UInt64> = []
            // The kernel reports any lock in a range, so the parts before and after that lock are searched too, the
            // part before it first: a holder that moves takes its higher position before it releases the lower one, and
            // in the other order both could be missed.
            var ranges: [ClosedRange<Int64>] = [0...Int64.max]
            while let range = ranges.popLast() {
                guard let lock = try RecordLock.find(in: range, file, label) else { continue }
                // A lock of several bytes is not Shale's, and may hide others.
                guard lock.lowerBound == lock.upperBound, found.count < FileHoldLimits.positions else { return [0] }
                found.insert(RecordLock.position(lock.lowerBound))
                if lock.upperBound < range.upperBound { ranges.append((lock.upperBound + 1)...range.upperBound) }
                if lock.lowerBound > range.lowerBound { ranges.append(range.lowerBound...(lock.lowerBound - 1)) }
            }
            return Array(found)
        #endif
    }
}

#if !canImport(Darwin)
    /// Record locks of open file descriptions.
    private enum RecordLock {
        /// Returns the byte of a position. Every second byte is left out: the kernel merges adjacent locks of one
        /// description.
        private static func byte(_ position: UInt64) -> Int64 { Int64(position << 1) }

        static func position(_ byte: Int64) -> UInt64 { UInt64(byte) >> 1 }

        static func set(_ file: Descriptor, _ position: UInt64, _ type: Int16) -> Int32 {
            var lock = flock()
            lock.l_type = type
            lock.l_whence = Int16(SEEK_SET)
            lock.l_start = off_t(byte(position))
            lock.l_len = 1
            return unsafe fcntl(file.number, Int32(LINUX_F_OFD_SETLK), &lock)
        }

        /// Returns the bytes of a lock of another description in `range`; `nil` if there is none.
        static func find(
            in range: ClosedRange<Int64>, _ file: Descriptor, _ label: String
        ) throws(IOFailure) -> ClosedRange<Int64>? {
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            lock.l_whence = Int16(SEEK_SET)
            lock.l_start = off_t(range.lowerBound)
            // 0 means "to the end".
            lock.l_len = range.upperBound == .max ? 0 : off_t(range.upperBound - range.lowerBound + 1)
            _ = try SystemCall.run("lock", label) {
                unsafe fcntl(file.number, Int32(LINUX_F_OFD_GETLK), &lock)
            }
            guard lock.l_type != Int16(F_UNLCK) else { return nil }
            let first = Int64(lock.l_start)
            return first...(lock.l_len == 0 ? .max : first + Int64(lock.l_len) - 1)
        }
    }
#endif
