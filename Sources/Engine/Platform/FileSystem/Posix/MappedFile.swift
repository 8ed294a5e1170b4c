#if canImport(Glibc)
    import CLinux
    import Glibc
    import ShaleBase

    /// A shared mapping of a part of a file, guarded against failed stores.
    @safe
    final class MappedFile: FileWindowBacking, @unchecked Sendable {
        private let start: UnsafeMutableRawPointer
        private let count: Int
        private let guardIndex: Int

        /// MADV_POPULATE_WRITE from <linux/mman.h>, since Linux 5.14. It makes the pages present and writable, and
        /// *returns* the errors that a store would report by a signal.
        private static let populateWrite: Int32 = 23

        /// Maps `count` bytes from `offset` and makes all pages ready for writing; `nil` if any part of that fails.
        init?(_ descriptor: Descriptor, offset: UInt64, count: Int) {
            guard FaultSignal.isUnblocked else { return nil }
            let address = unsafe mmap(
                nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.number, off_t(truncatingIfNeeded: offset))
            guard let address = unsafe address, UInt(bitPattern: address) != UInt.max else { return nil }
            unsafe start = address
            self.count = count
            guard unsafe madvise(address, count, MappedFile.populateWrite) == 0,
                let index = unsafe MappingGuard.add(address, count)
            else {
                unsafe munmap(address, count)
                return nil
            }
            guardIndex = index
        }

        deinit {
            MappingGuard.remove(guardIndex)
            unsafe munmap(start, count)
        }

        var bytes: MutableBytes { unsafe MutableBytes(start: start, count: count) }

        var faults: FaultFlag { MappingGuard.flag(guardIndex) }

        func stored(_ bytes: Bytes, at offset: UInt64) throws(IOFailure) {}

        /// True if reserved space of this file's file system really guarantees that stores succeed. On others
        /// (copy-on-write, network, FUSE) a store can run out of space, or lose its connection, long after the
        /// reservation.
        static func isSupported(_ descriptor: Descriptor) -> Bool {
            var status = statfs()
            guard unsafe fstatfs(descriptor.number, &status) == 0 else { return false }
            return [EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, TMPFS_MAGIC].contains { Int($0) == Int(status.f_type) }
        }
    }
#endif
