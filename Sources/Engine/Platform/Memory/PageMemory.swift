package import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
/// A private anonymous mapping. Address space is reserved at once; memory is used page by page as it is touched.
///
/// `start` is aligned to 2 MiB. On Linux the mapping requests huge pages unless `isHuge` is false: first touches become
/// three times as cheap, and random access becomes cheaper. Fresh pages are zero, except in builds with
/// `SHALE_SCHEDULES`.
@safe
package final class PageMemory: @unchecked Sendable {
    package static let alignment = 2 << 20

    /// The first byte, valid while this object lives: a holder of an address also keeps a reference.
    package let start: UnsafeMutableRawPointer
    /// The usable size in bytes: the requested size, rounded up to ``alignment``.
    package let count: Int

    package init(reserving bytes: Int, isHuge: Bool = true) throws(IOFailure) {
        let mask = PageMemory.alignment - 1
        guard bytes > 0, bytes <= Int.max - 2 * PageMemory.alignment else {
            throw IOFailure("mmap", "memory", EINVAL)
        }
        count = (bytes + mask) & ~mask
        #if SHALE_SCHEDULES
            if let kept = unsafe PageMemory.kept[count]?.popLast() {
                unsafe start = kept
                return
            }
        #endif
        // Maps one alignment too much, so that an aligned range of `count` bytes lies inside, and unmaps the rest.
        let mapped = count + PageMemory.alignment
        let address = unsafe mmap(
            nil, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0)
        guard let address = unsafe address, UInt(bitPattern: address) != UInt.max else {
            throw IOFailure("mmap", "memory", errno)
        }
        let before = (PageMemory.alignment - Int(bitPattern: address) & mask) & mask
        unsafe start = address + before
        if before > 0 { unsafe munmap(address, before) }
        let after = mapped - before - count
        if after > 0 { unsafe munmap(start + count, after) }
        // Under a scheduler a store lives for less than a millisecond: clearing huge pages would take most of its time.
        #if os(Linux) && !SHALE_SCHEDULES
            if isHuge { unsafe madvise(start, count, MADV_HUGEPAGE) }
        #endif
    }

    #if SHALE_SCHEDULES
        /// Mappings without a user, by size: mapping and touching fresh pages takes longer than most runs do. All
        /// threads of a scheduler's program are one thread of the system.
        private nonisolated(unsafe) static var kept: [Int: [UnsafeMutableRawPointer]] = unsafe [:]

        deinit { unsafe PageMemory.kept[count, default: []].append(start) }
    #else
        deinit { unsafe munmap(start, count) }
    #endif

    package var mutableBytes: MutableBytes { unsafe MutableBytes(start: start, count: count) }

    /// Returns the memory to the system and keeps the addresses.
    ///
    /// The content is unspecified afterwards (zero on Linux, old or zero on Darwin). No thread may use the mapping
    /// during the call.
    package func discard() {
        #if os(Linux)
            unsafe madvise(start, count, MADV_DONTNEED)
        #else
            unsafe madvise(start, count, MADV_FREE)
        #endif
    }
}
