import ShaleBase
import ShalePlatform
import Synchronization

/// The memory of cacheable blocks: pages owned by the engine, so that the cache is charged exactly what it takes from
/// the system.
///
/// Blocks of up to ``sharedBytesMax`` share regions of 2 MiB (``BlockRegion``), which the system backs with huge pages:
/// random reads then cause fewer TLB misses. An allocation takes the first region with a long enough run of free units,
/// so that free space gathers in the later regions. Larger blocks have pages of their own.
///
/// **Bound.** ``reservedBytes`` never exceeds the limit passed to ``allocate(_:within:)``, rounded up to whole regions.
/// The exception is one region for each thread that adds one at the same moment. When the limit falls, the owner
/// empties region after region (``drain(_:)``); empty regions are then returned to the system.
///
/// **Lifetime.** The holder of the last reference frees a block, perhaps after the cache is gone. Every region, and
/// every block with its own pages, therefore retains this object. Thread-safe.
@safe
final class BlockMemory: @unchecked Sendable {
    /// A region has room for at least fifteen such blocks, so at most a sixteenth of it is unusable.
    static let sharedBytesMax = 128 << 10
    /// Below this limit, 2 MiB at once would be too coarse, so regions don't use huge pages.
    private static let hugeLimitMin = 32 << 20

    private let lock = Lock()
    // Guarded by `lock`:
    private var regions: [PageMemory] = []
    /// For each region, an upper bound of its longest run of free units.
    private var longestRuns: [UInt16] = []
    private var aloneBytes = 0
    private var takenUnits = 0
    private var limit = 0

    private let limbo = Atomic<Int>(0)
    private let outside = Atomic<Int>(0)

    /// The bytes of blocks that have left the cache but are not freed yet, because pins or cursors may need them.
    var limboBytes: Int { limbo.load(ordering: .relaxed) }
    /// The bytes of blocks outside the limit: see ``allocateOutside(_:)``.
    var outsideBytes: Int { outside.load(ordering: .relaxed) }
    /// The memory taken from the system, in bytes.
    var reservedBytes: Int { lock.withLock { reserved } }
    /// The part of ``reservedBytes`` that blocks occupy.
    var takenBytes: Int { lock.withLock { takenUnits * BlockRegion.unitBytes + aloneBytes } }

    /// The same as ``reservedBytes``, for callers that hold `lock`.
    private var reserved: Int { regions.count * BlockRegion.byteCount + aloneBytes }

    /// Rounds a limit up to whole regions, at least one.
    static func granted(_ limit: Int) -> Int {
        max(1, (limit + BlockRegion.byteCount - 1) / BlockRegion.byteCount) * BlockRegion.byteCount
    }

    /// Returns what a block with room for `bytes` takes of a limit.
    static func takenBytes(_ bytes: Int) -> Int {
        bytes > sharedBytesMax ? (bytes + 4095) & ~4095 : BlockRegion.units(bytes) * BlockRegion.unitBytes
    }

    // MARK: Allocating

    /// Allocates a block with room for at least `bytes`; `nil` if the limit or the system refuses.
    func allocate(_ bytes: Int, within limit: Int) -> DataBlock? {
        let limit = BlockMemory.granted(limit)
        if bytes > BlockMemory.sharedBytesMax { return allocateAlone(bytes, within: limit) }
        let units = BlockRegion.units(bytes)
        while true {
            let (block, mayGrow) = lock.withLock {
                self.limit = limit
                return (take(units), reserved + BlockRegion.byteCount <= limit)
            }
            if let block { return block }
            guard mayGrow, addRegion(isHuge: limit >= BlockMemory.hugeLimitMin) else { return nil }
        }
    }

    /// Takes a run of units from the first region that has one. The caller holds `lock`.
    private func take(_ units: Int) -> DataBlock? {
        for index in longestRuns.indices where Int(longestRuns[index]) >= units {
            let region = unsafe BlockRegion(of: regions[index].start)
            var longest = 0
            if let memory = unsafe region.take(units, longest: &longest) {
                takenUnits += units
                // Initialized under the lock, because ``drain(_:)`` may visit the block at once.
                return unsafe DataBlock(
                    initializing: memory, capacity: units * BlockRegion.unitBytes, .region,
                    owner: Unmanaged.passUnretained(self))
            }
            longestRuns[index] = UInt16(longest)
        }
        return nil
    }

    private func addRegion(isHuge: Bool) -> Bool {
        let pages: PageMemory
        do {
            pages = try PageMemory(reserving: BlockRegion.byteCount, isHuge: isHuge)
        } catch {
            // Reads continue without the cache.
            return false
        }
        // The first touch of a huge page is slow, so it happens before taking the lock.
        let region = unsafe BlockRegion(fresh: pages.start)
        _ = unsafe Unmanaged.passRetained(self)
        lock.withLock {
            region.index = regions.count
            regions.append(pages)
            longestRuns.append(UInt16(BlockRegion.freeUnitsMax))
        }
        return true
    }

    private func allocateAlone(_ bytes: Int, within limit: Int) -> DataBlock? {
        let capacity = (bytes + 4095) & ~4095
        let mayGrow = lock.withLock {
            self.limit = limit
            guard reserved + capacity <= limit else { return false }
            aloneBytes += capacity
            return true
        }
        guard mayGrow else { return nil }
        guard let memory = unsafe Pages.map(capacity) else {
            lock.withLock { aloneBytes -= capacity }
            return nil
        }
        return unsafe DataBlock(initializing: memory, capacity: capacity, .pages, owner: Unmanaged.passRetained(self))
    }

    /// Allocates a block on the heap that will not be cached, whatever the limit. Its bytes count in ``outsideBytes``,
    /// by which the cache shrinks.
    func allocateOutside(_ bytes: Int) -> DataBlock {
        let block = unsafe DataBlock.allocate(bytes: bytes, owner: Unmanaged.passRetained(self))
        outside.add(block.capacity, ordering: .relaxed)
        return block
    }

    // MARK: Freeing

    /// Counts a block that leaves the cache in ``limboBytes`` until it is freed.
    func noteLimbo(_ block: DataBlock) {
        guard unsafe block.links.pointee.home != .heap else { return }
        unsafe block.links.pointee.isInLimbo = true
        limbo.add(block.capacity, ordering: .relaxed)
    }

    /// Frees the memory of a block that has no user left.
    func free(_ block: DataBlock) {
        let memory = unsafe UnsafeMutableRawPointer(block.header)
        let capacity = block.capacity
        let home = unsafe block.links.pointee.home
        if unsafe block.links.pointee.isInLimbo { limbo.subtract(capacity, ordering: .relaxed) }
        block.deinitialize()
        switch home {
        case .heap:
            unsafe SchedulePoint.poison(memory, capacity)
            unsafe memory.deallocate()
            outside.subtract(capacity, ordering: .relaxed)
            unsafe Unmanaged.passUnretained(self).release()
        case .pages:
            unsafe Pages.unmap(memory, capacity)
            lock.withLock { aloneBytes -= capacity }
            unsafe Unmanaged.passUnretained(self).release()
        case .region: unsafe freeShared(memory, BlockRegion.units(capacity))
        }
    }

    private func freeShared(_ memory: UnsafeMutableRawPointer, _ units: Int) {
        let gone: PageMemory? = lock.withLock {
            let region = unsafe BlockRegion(of: memory)
            // Under the lock, because until here ``drain(_:)`` visits the block and reads that no queue has it.
            unsafe SchedulePoint.poison(memory, units * BlockRegion.unitBytes)
            let run = unsafe region.free(memory, units)
            takenUnits -= units
            let index = region.index
            longestRuns[index] = max(longestRuns[index], UInt16(run))
            return region.isEmpty && reserved > limit ? remove(index) : nil
        }
        if gone != nil { unsafe Unmanaged.passUnretained(self).release() }
    }

    /// Removes a region from the lists. The caller holds `lock`.
    private func remove(_ index: Int) -> PageMemory {
        let pages = regions.remove(at: index)
        longestRuns.remove(at: index)
        for later in index..<regions.count { unsafe BlockRegion(of: regions[later].start).index = later }
        return pages
    }

    /// Sets the limit and returns unused regions beyond it to the system. 0 means that the cache is gone: every region
    /// is then returned as soon as it is empty.
    func trim(to limit: Int) {
        var gone: [PageMemory] = []
        lock.withLock {
            self.limit = limit == 0 ? 0 : BlockMemory.granted(limit)
            for index in regions.indices.reversed() where reserved > self.limit {
                if unsafe BlockRegion(of: regions[index].start).isEmpty { gone.append(remove(index)) }
            }
        }
        for _ in gone { unsafe Unmanaged.passUnretained(self).release() }
    }

    /// Asks for blocks to evict until a region can become empty. Calls `take` with every block of a region, the region
    /// with the most free units first, and stops after the first region of which blocks were taken.
    ///
    /// Runs under the lock. Blocks that are still being filled are visited too.
    func drain(_ take: (DataBlock) -> Bool) {
        lock.withLock {
            let byFreeUnits = regions.map { unsafe BlockRegion(of: $0.start) }.filter { !$0.isEmpty }
                .sorted { $0.freeUnits > $1.freeUnits }
            for region in byFreeUnits {
                var hasTaken = false
                unsafe region.forEachBlock { memory in
                    let block = unsafe DataBlock(memory.assumingMemoryBound(to: DataBlockHeader.self))
                    hasTaken = take(block) || hasTaken
                }
                if hasTaken { return }
            }
        }
    }
}
