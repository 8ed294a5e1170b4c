import ShaleBase
import ShalePlatform
import Synchronization

/// The memory of blocks that may be cached: pages of the engine's own, so that what the cache is charged is what it
/// takes from the system.
///
/// Blocks of up to ``sharedBytesMax`` lie in regions of 2 MiB (``BlockRegion``), which the system backs with huge pages:
/// random reads then miss the processor's address cache less. The first region with a long enough run of free units
/// serves, so that free space gathers in the later ones. Larger blocks have pages of their own.
///
/// **Bound.** ``reservedBytes`` never grows past the limit that ``allocate(_:within:)`` is given, rounded up to whole
/// regions, except by a region for each thread that grows it at the same moment. Memory whose limit has fallen is emptied by its owner region by region
/// (``drain(_:)``) and then given back by itself.
///
/// **Lifetime.** Blocks are freed by whoever lets go of them last, perhaps after the cache has gone. Every region, and
/// every block with its own pages, therefore keeps this object. Thread-safe.
@safe
final class BlockMemory: @unchecked Sendable {
    /// A region has room for at least fifteen such blocks: at most a sixteenth of it can't be used.
    static let sharedBytesMax = 128 << 10
    /// Below this limit, 2 MiB at once would be too coarse: pages are taken as they are touched.
    private static let hugeLimitMin = 32 << 20

    private let lock = Lock()
    // Guarded by `lock`:
    private var regions: [PageMemory] = []
    /// By region: the longest run of free units, or more.
    private var longestRuns: [UInt16] = []
    private var aloneBytes = 0
    private var takenUnits = 0
    private var limit = 0

    private let limbo = Atomic<Int>(0)
    private let outside = Atomic<Int>(0)

    /// Bytes of blocks that have left the cache and are not yet freed, because pins or cursors may need them.
    var limboBytes: Int { limbo.load(ordering: .relaxed) }
    /// Bytes of blocks beside the limit: see ``allocateOutside(_:)``.
    var outsideBytes: Int { outside.load(ordering: .relaxed) }
    /// Memory taken from the system.
    var reservedBytes: Int { lock.withLock { reserved } }
    /// The part of ``reservedBytes`` that blocks have.
    var takenBytes: Int { lock.withLock { takenUnits * BlockRegion.unitBytes + aloneBytes } }

    /// Under `lock`.
    private var reserved: Int { regions.count * BlockRegion.byteCount + aloneBytes }

    /// What a limit is rounded up to.
    static func granted(_ limit: Int) -> Int {
        max(1, (limit + BlockRegion.byteCount - 1) / BlockRegion.byteCount) * BlockRegion.byteCount
    }

    // MARK: Taking

    /// A block with room for at least `bytes`; nil when the limit, or the system, leaves none.
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

    /// Under `lock`.
    private func take(_ units: Int) -> DataBlock? {
        for index in longestRuns.indices where Int(longestRuns[index]) >= units {
            let region = unsafe BlockRegion(of: regions[index].start)
            var longest = 0
            if let memory = unsafe region.take(units, longest: &longest) {
                takenUnits += units
                // Under the lock, because whoever looks at all blocks of a region may look at this one at once.
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
            // Reads go on without the cache.
            return false
        }
        // The first touch of a huge page takes a while: it happens before others wait for it.
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

    /// A block that will not be cached, from the heap and whatever the limit: what it takes is counted in
    /// ``outsideBytes``, for which the cache gives way.
    func allocateOutside(_ bytes: Int) -> DataBlock {
        let block = unsafe DataBlock.allocate(bytes: bytes, owner: Unmanaged.passRetained(self))
        outside.add(block.capacity, ordering: .relaxed)
        return block
    }

    // MARK: Giving back

    /// The block leaves the cache: until it is freed it counts in ``limboBytes``.
    func noteLimbo(_ block: DataBlock) {
        guard unsafe block.links.pointee.home != .heap else { return }
        unsafe block.links.pointee.isInLimbo = true
        limbo.add(block.capacity, ordering: .relaxed)
    }

    /// Takes the memory of a block back that nobody uses any more.
    func free(_ block: DataBlock) {
        let memory = unsafe UnsafeMutableRawPointer(block.header)
        let capacity = block.capacity
        let home = unsafe block.links.pointee.home
        if unsafe block.links.pointee.isInLimbo { limbo.subtract(capacity, ordering: .relaxed) }
        block.deinitialize()
        switch home {
        case .heap:
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
            let run = unsafe region.giveBack(memory, units)
            takenUnits -= units
            let index = region.index
            longestRuns[index] = max(longestRuns[index], UInt16(run))
            return region.isEmpty && reserved > limit ? remove(index) : nil
        }
        if gone != nil { unsafe Unmanaged.passUnretained(self).release() }
    }

    /// Under `lock`.
    private func remove(_ index: Int) -> PageMemory {
        let pages = regions.remove(at: index)
        longestRuns.remove(at: index)
        for later in index..<regions.count { unsafe BlockRegion(of: regions[later].start).index = later }
        return pages
    }

    /// Sets the limit and returns unused regions beyond it to the system. 0 says that the cache has gone: from then on
    /// every region goes as soon as it is empty.
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

    /// Looks for blocks to give up so that a region becomes empty: calls `take` with every block of a region, the one with
    /// most to give first, until a region had some that were taken. Under the lock; blocks that are being filled are
    /// among them.
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
