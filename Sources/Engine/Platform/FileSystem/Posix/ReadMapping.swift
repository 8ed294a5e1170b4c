#if canImport(Glibc)
    import CLinux
    import Glibc
    import ShaleBase

    /// A read-only mapping of a whole file, guarded against failed loads.
    ///
    /// It needs no descriptor: the file may be closed. Pages are read when they are touched, one by one: the readers of
    /// mappings need a few of them at random places.
    @safe
    final class ReadMapping: FileMapping, @unchecked Sendable {
        private let bytes: Bytes
        private let guardIndex: Int
        private let faults: FaultFlag

        /// Maps the first `size` bytes; `nil` if the system refuses, if the calling thread blocks SIGBUS, or if too
        /// many files are mapped.
        init?(_ descriptor: Descriptor, size: UInt64) {
            guard FaultSignal.isUnblocked, size > 0, let count = Int(exactly: size) else { return nil }
            let address = unsafe mmap(nil, count, PROT_READ, MAP_SHARED, descriptor.number, 0)
            guard let address = unsafe address, UInt(bitPattern: address) != UInt.max else { return nil }
            guard let index = unsafe MappingGuard.add(address, count, in: .files) else {
                unsafe munmap(address, count)
                return nil
            }
            // A hint: without it, a fault on a cold page reads its neighbours as well.
            unsafe madvise(address, count, MADV_RANDOM)
            bytes = unsafe Bytes(start: address, count: count)
            guardIndex = index
            faults = MappingGuard.flag(index)
        }

        deinit {
            MappingGuard.remove(guardIndex)
            unsafe munmap(UnsafeMutableRawPointer(mutating: bytes.start), bytes.count)
        }

        func copy(into target: MutableBytes, at offset: UInt64) -> Bool {
            guard offset <= UInt64(bytes.count), target.count <= bytes.count - Int(offset), !faults.isRaised,
                !MappingGuard.isDisplaced, FaultSignal.reachesThread
            else { return false }
            target.copy(bytes.slice(Int(offset), target.count), at: 0)
            return !faults.isRaisedByAnyThread
        }

        func touch(_ count: Int, at offset: UInt64) {
            guard offset < UInt64(bytes.count) else { return }
            let end = min(Int(offset) + min(count, ReadMapping.touchedBytesMax), bytes.count)
            var line = Int(offset) & ~63
            while line < end {
                unsafe linux_prefetch(bytes.start + line)
                line += 64
            }
        }

        private static let touchedBytesMax = 2 << 10
    }
#endif
