package import ShaleBase
import Synchronization

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

/// A file open for writing at explicit offsets.
package final class PosixWritableFile: WritableFile {
    package let name: String
    private let label: String
    private let descriptor: Descriptor
    private let isReduced = Atomic(false)
    /// The size in bytes up to which space is reserved.
    private let reserved = Atomic<UInt64>(0)
    private let canReserve = Atomic(true)
    /// Held while the size of the file is set. Without it, an extension based on an outdated size could cut off what
    /// another extension added and a writer has filled.
    private let sizing = Lock()

    init(_ descriptor: Descriptor, name: String, label: String) {
        self.descriptor = descriptor
        self.name = name
        self.label = label
    }

    package func write(_ bytes: Bytes, at offset: UInt64) throws(IOFailure) {
        var done = 0
        while done < bytes.count {
            let rest = bytes.suffix(from: done)
            let position = off_t(truncatingIfNeeded: offset &+ UInt64(done))
            let written = try SystemCall.run("write", label) {
                unsafe pwrite(descriptor.number, rest.start, rest.count, position)
            }
            // A write of zero bytes without an error: nothing suggests that a retry would succeed.
            guard written > 0 else { throw IOFailure("write", label, EIO) }
            done += written
        }
    }

    package func write(_ first: Bytes, _ second: Bytes, at offset: UInt64) throws(IOFailure) {
        let count = first.count + second.count
        let position = off_t(truncatingIfNeeded: offset)
        let written = try SystemCall.run("write", label) {
            // The kernel only reads from the addresses.
            unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { parts in
                unsafe parts[0] = iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: first.start), iov_len: first.count)
                unsafe parts[1] = iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: second.start), iov_len: second.count)
                return unsafe pwritev(descriptor.number, parts.baseAddress, 2, position)
            }
        }
        // A short write is rare: the rest is written part by part.
        guard written < count else { return }
        guard written > 0 else { throw IOFailure("write", label, EIO) }
        if written < first.count { try write(first.suffix(from: written), at: offset &+ UInt64(written)) }
        let done = max(0, written - first.count)
        try write(second.suffix(from: done), at: offset &+ UInt64(first.count + done))
    }

    package func preallocate(_ size: UInt64) throws(IOFailure) {
        guard size > 0, keepsReservations else { return }
        try sizing.withLock { () throws(IOFailure) in
            guard isKept, try reserveIfSupported(size) else {
                canReserve.store(false, ordering: .relaxed)
                return
            }
            reserved.store(max(reserved.load(ordering: .relaxed), size), ordering: .relaxed)
        }
    }

    package var keepsReservations: Bool { canReserve.load(ordering: .relaxed) }

    /// False if a write may run out of space although its range is reserved. Under `sizing`.
    ///
    /// A copy-on-write file system gives every write a new place, and the reservation helps at most the first write of
    /// a block. A log writes its last block many times.
    private var isKept: Bool {
        #if os(Linux)
            guard reserved.load(ordering: .relaxed) == 0 else { return true }
            var status = statfs()
            guard unsafe fstatfs(descriptor.number, &status) == 0 else { return true }
            return !PosixWritableFile.copyOnWrite.contains(UInt32(truncatingIfNeeded: status.f_type))
        #else
            return true
        #endif
    }

    #if os(Linux)
        /// The numbers of btrfs, ZFS and bcachefs. The kernel's headers have only that of btrfs.
        private static let copyOnWrite: [UInt32] = [UInt32(BTRFS_SUPER_MAGIC), 0x2FC1_2FC1, 0xCA45_1A4E]
    #endif

    /// Returns false, with nothing reserved, if the file system can't reserve.
    private func reserveIfSupported(_ size: UInt64) throws(IOFailure) -> Bool {
        do throws(IOFailure) {
            try reserve(size)
            return true
        } catch {
            guard PosixWritableFile.isUnsupported(error.errorNumber) else { throw error }
            return false
        }
    }

    private static func isUnsupported(_ number: Int32) -> Bool {
        number == EOPNOTSUPP || number == ENOTSUP || number == ENOSYS || number == EINVAL || number == ENOTTY
    }

    package func window(offset: UInt64, count: Int) -> FileWindow? {
        #if canImport(Glibc)
            guard offset + UInt64(count) <= reserved.load(ordering: .relaxed), MappedFile.isSupported(descriptor),
                let mapped = MappedFile(descriptor, offset: offset, count: count)
            else { return nil }
            return FileWindow(
                offset: offset, bytes: mapped.bytes, backing: mapped, faults: mapped.faults, file: label)
        #else
            // Without MADV_POPULATE_WRITE, errors can't be detected before a store: the caller uses `write`.
            return nil
        #endif
    }

    #if canImport(Darwin)
        /// Reserves space behind the end of the file with F_PREALLOCATE, which leaves the size, then extends the file.
        /// The caller holds `sizing`, so the file does not grow in between: writes stay below the reserved size, or
        /// follow an extension of their own.
        private func reserve(_ size: UInt64) throws(IOFailure) {
            let current = try descriptor.status(label).size
            guard size > current else { return }
            var request = fstore_t(
                fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0,
                fst_length: off_t(size - current), fst_bytesalloc: 0)
            _ = try SystemCall.run("preallocate", label) {
                unsafe fcntl(descriptor.number, F_PREALLOCATE, &request)
            }
            try resize(size)
        }
    #else
        /// Calls `fallocate` directly. If the file system can't reserve, the C library's `posix_fallocate` writes a
        /// zero into each block, over bytes that other threads append at the same time.
        private func reserve(_ size: UInt64) throws(IOFailure) {
            _ = try SystemCall.run("preallocate", label) {
                fallocate(descriptor.number, 0, 0, off_t(truncatingIfNeeded: size))
            }
        }
    #endif

    package func truncate(to size: UInt64) throws(IOFailure) {
        try sizing.withLock { () throws(IOFailure) in
            reserved.store(min(reserved.load(ordering: .relaxed), size), ordering: .relaxed)
            try resize(size)
        }
    }

    private func resize(_ size: UInt64) throws(IOFailure) {
        _ = try SystemCall.run("truncate", label) {
            ftruncate(descriptor.number, off_t(truncatingIfNeeded: size))
        }
    }

    package func sync() throws(IOFailure) {
        if try PosixSync.file(descriptor.number, label) == .reduced { isReduced.store(true, ordering: .relaxed) }
    }

    package var durabilityIsReduced: Bool { isReduced.load(ordering: .relaxed) }

    package func isOnMedium(first count: UInt64) throws(IOFailure) -> Bool {
        try MediumCheck(descriptor, label).isEqual(first: count)
    }

    package func close() throws(IOFailure) {
        let number = descriptor.close()
        if number != 0 { throw IOFailure("close", label, number) }
    }
}
