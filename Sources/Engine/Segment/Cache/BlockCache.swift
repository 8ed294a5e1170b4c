import ShaleBase
package import ShalePlatform
import ShaleValues
import Synchronization

/// The cache of decompressed data blocks.
///
/// It has no hash table: a segment has a pointer ("slot") per block, and a hit is one load of the slot under the
/// reader's epoch pin. The cache only decides which blocks stay.
///
/// **Replacement** is S3-FIFO. New blocks enter a small queue (a tenth of the capacity). A block that is used before it
/// reaches the end moves to the main queue; others are evicted and remembered as ghosts. A ghost that returns enters
/// the main queue directly. The main queue gives a used block another round. A hit only sets a flag in the block.
///
/// **Lifetime.** The thread that empties a slot retires the block through the epoch domain. The cache's reference is
/// released when no pin is left that could have seen the slot. A pinned reader may take a reference of its own to keep
/// the block longer.
///
/// Thread-safe. A miss holds the lock for a few hundred nanoseconds.
@safe
package final class BlockCache: @unchecked Sendable {
    private let budget: MemoryBudget
    private let domain: EpochDomain
    private let memory = BlockMemory()
    let hints = ReaderHints()
    let values: CachedValues
    private let misses = Atomic<Int>(0)

    private let lock = Lock()
    // Guarded by `lock`:
    private var small = BlockQueue(.small)
    private var main = BlockQueue(.main)
    private var ghosts: GhostSet
    private var counts = BlockCacheStatistics()

    /// The largest number of used blocks that one eviction skips. Otherwise readers that set flags faster than an
    /// eviction clears them could prevent evictions.
    private static let sparedMax = 256
    /// The smallest number of misses within which the second miss of a split block loads it.
    private static let admissionWindowMin = 16

    package init(budget: MemoryBudget, domain: EpochDomain) {
        self.budget = budget
        self.domain = domain
        values = CachedValues(budgetBytes: budget.limitBytes)
        ghosts = GhostSet(capacity: min(max(budget.limitBytes >> 14, 1 << 10), 1 << 20))
    }

    deinit {
        // Segments have evicted their blocks; nobody evicts values.
        var victims: [DataBlock] = []
        values.forEach { victims.append($0) }
        for victim in victims { retire(victim) }
        if !values.isEmpty { budget.release(values.byteCount, for: .tables) }
        memory.trim(to: 0)
    }

    package var statistics: BlockCacheStatistics {
        var result = lock.withLock {
            var result = counts
            result.blockCount = small.count + main.count
            result.bytes = small.bytes + main.bytes
            return result
        }
        result.hitCount = hints.hitCount
        result.missCount = misses.load(ordering: .relaxed)
        result.capacityBytes = budget.cacheCapacityBytes
        result.reservedBytes = memory.reservedBytes + memory.outsideBytes
        return result
    }

    func countMiss() { misses.add(1, ordering: .relaxed) }

    // MARK: Memory

    /// The memory in bytes that blocks in ``memory`` may take from the system now.
    private var limit: Int { max(0, budget.cacheCapacityBytes - memory.outsideBytes) }

    /// Returns the part of the limit that stays free for blocks being read while evicted ones wait for pins to end. The
    /// rounding of the memory to regions counts towards it.
    private static func reserve(_ limit: Int) -> Int {
        let wanted = max(limit / 64, min(limit / 16, 1 << 20))
        return max(0, wanted - (BlockMemory.granted(limit) - limit))
    }

    /// Returns the number of bytes of `limit` that cached blocks may take.
    private static func capacity(_ limit: Int) -> Int { limit - reserve(limit) }

    /// Allocates a block to be read, with one reference.
    ///
    /// If the budget has no room, the block can't be cached and must not be passed to ``insert(_:into:fingerprint:)``:
    /// ``DataBlock/mayBeCached`` is then false. Blocks larger than an eighth of the limit are never cached, so that no
    /// block evicts more than an eighth of the others.
    func makeBlock(_ bytes: Int, fillCache: Bool) -> DataBlock {
        let limit = limit
        guard fillCache, bytes <= limit / 8 else { return memory.allocateOutside(bytes) }
        if let block = memory.allocate(bytes, within: limit) { return block }
        domain.collect()
        if let block = memory.allocate(bytes, within: limit) { return block }
        // There is room, but fragmented. The drained region serves later calls, because this thread is usually pinned.
        drain(limit)
        return memory.allocateOutside(bytes)
    }

    /// Empties a region. Collects instead if many evicted blocks already wait to be freed.
    private func drain(_ limit: Int) {
        guard memory.limboBytes <= limit / 8 else { return domain.collect() }
        var victims: [DataBlock] = []
        lock.withLock {
            memory.drain { block in
                guard unsafe block.links.pointee.queue != .none else { return false }
                unlink(block)
                counts.evictedCount += 1
                counts.evictedBytes += block.capacity
                victims.append(block)
                return true
            }
        }
        for victim in victims { retire(victim) }
        domain.collect()
    }

    /// Evicts what exceeds the budget. Call it periodically: without insertions nothing else checks the budget.
    package func trim() {
        let limit = limit
        evict(to: BlockCache.capacity(limit))
        memory.trim(to: limit)
        while memory.reservedBytes > BlockMemory.granted(limit) {
            let before = memory.reservedBytes
            drain(limit)
            // Pins hold the rest; the next call continues.
            if memory.reservedBytes >= before { return }
        }
    }

    /// Returns memory of `bytes` that lives until the calling thread, which is pinned, unpins.
    func pinnedMemory(_ bytes: Int) -> MutableBytes {
        let block = memory.allocateOutside(DataBlock.bytesNeeded(count: 0, rawLength: bytes))
        // Retired before it is filled: the pin keeps it, and nobody else knows it.
        retire(block)
        return block.rawTarget(count: 0, rawLength: bytes)
    }

    /// Returns true if a split block that is not in the cache is to be loaded as a whole.
    ///
    /// That is so while the cache has room, and for a block that a lookup has missed a short time before: the first
    /// miss makes it a ghost, the second one finds the ghost. Decoding a whole block takes as long as several lookups
    /// in its stored form, so a block must be likely to be used several times while it is in the cache: "short" is a
    /// quarter of the misses that replace all blocks. So a uniform read decodes and evicts little.
    func admits(_ fingerprint: UInt64, _ bytes: Int) -> Bool {
        let limit = limit
        guard bytes <= limit / 8 else { return false }
        let capacity = BlockCache.capacity(limit)
        return lock.withLock {
            let after = small.bytes + main.bytes + BlockMemory.takenBytes(bytes)
            let window = max(BlockCache.admissionWindowMin, (small.count + main.count) / 4)
            if after <= capacity || ghosts.contains(fingerprint, within: window) { return true }
            ghosts.insert(fingerprint)
            return false
        }
    }

    // MARK: Blocks

    /// Publishes a new, cacheable block in its slot, and returns the block to use.
    ///
    /// If another thread was first, returns that thread's block and frees the caller's. The caller is pinned.
    func insert(_ block: DataBlock, into slot: UnsafeMutablePointer<BlockSlot>, fingerprint: UInt64) -> DataBlock {
        let winner: DataBlock? = lock.withLock {
            if let present = unsafe slot.pointee.load(ordering: .acquiring) { return unsafe DataBlock(present) }
            unsafe publish(block, in: slot, fingerprint)
            return nil
        }
        return finishInsertion(block, winner)
    }

    /// Publishes a new, cacheable block of a large value, like ``insert(_:into:fingerprint:)``. A value that has its
    /// place is evicted.
    func insert(_ block: DataBlock, of reference: ValueReference, fingerprint: UInt64) -> DataBlock {
        var evicted: DataBlock?
        let winner: DataBlock? = lock.withLock {
            if let present = values.find(reference) { return present }
            if values.isEmpty { budget.charge(values.byteCount, for: .tables) }
            let slot = unsafe values.slot(for: reference)
            if let present = unsafe slot.pointee.load(ordering: .relaxed) {
                let victim = unsafe DataBlock(present)
                unlink(victim)
                counts.evictedCount += 1
                counts.evictedBytes += victim.capacity
                evicted = victim
            }
            unsafe publish(block, in: slot, fingerprint)
            return nil
        }
        if let evicted { retire(evicted) }
        return finishInsertion(block, winner)
    }

    /// Stores a block in its slot and its queue. The caller holds `lock`.
    private func publish(_ block: DataBlock, in slot: UnsafeMutablePointer<BlockSlot>, _ fingerprint: UInt64) {
        unsafe block.links.pointee.slot = slot
        unsafe block.links.pointee.fingerprint = fingerprint
        if ghosts.remove(fingerprint) { main.append(block) } else { small.append(block) }
        counts.insertedCount += 1
        counts.insertedBytes += block.capacity
        // Releasing: a thread that loads the pointer sees the parsed block.
        unsafe slot.pointee.store(block.header, ordering: .releasing)
    }

    /// Returns the block to use: `winner`, or the new one, after making room for it.
    private func finishInsertion(_ block: DataBlock, _ winner: DataBlock?) -> DataBlock {
        if let winner {
            block.free()
            return winner
        }
        // The new block may itself be evicted; the caller's pin keeps it alive.
        let limit = limit
        evict(to: BlockCache.capacity(limit))
        if memory.reservedBytes > BlockMemory.granted(limit) { drain(limit) }
        return block
    }

    /// Evicts the blocks in `slots`, whose segment is being released.
    func removeAll(in slots: UnsafeMutablePointer<BlockSlot>, count: Int) {
        var victims: [DataBlock] = []
        lock.withLock {
            for i in 0..<count {
                guard let header = unsafe slots[i].load(ordering: .relaxed) else { continue }
                let block = unsafe DataBlock(header)
                unlink(block)
                victims.append(block)
            }
        }
        for victim in victims { retire(victim) }
    }

    /// Removes a cached block from its queue and its slot. The caller holds `lock`.
    private func unlink(_ block: DataBlock) {
        if unsafe block.links.pointee.queue == .small { small.remove(block) } else { main.remove(block) }
        unsafe block.links.pointee.slot?.pointee.store(nil, ordering: .relaxed)
    }

    /// Frees an unlinked block once no pin and no cursor's reference needs it.
    func retire(_ block: DataBlock) {
        memory.noteLimbo(block)
        unsafe domain.retire(UnsafeMutableRawPointer(block.header), bytes: block.capacity) { pointer in
            unsafe DataBlock(pointer.assumingMemoryBound(to: DataBlockHeader.self)).release()
        }
    }

    private func evict(to capacity: Int) {
        var hasEvicted = false
        while let victim = lock.withLock({ takeVictim(capacity) }) {
            retire(victim)
            hasEvicted = true
        }
        // The domain collects every MiB; a small cache needs its evicted memory sooner.
        if hasEvicted, memory.limboBytes > capacity / 32 { domain.collect() }
    }

    /// Unlinks the next block to evict while more than `capacity` is held.
    private func takeVictim(_ capacity: Int) -> DataBlock? {
        guard small.bytes + main.bytes > capacity else { return nil }
        var spared = 0
        while true {
            let takesSmall = small.bytes > capacity / 10 || main.count == 0
            guard let block = takesSmall ? small.removeOldest() : main.removeOldest() else { return nil }
            let wasUsed = unsafe block.header.pointee.isVisited.exchange(false, ordering: .relaxed)
            if wasUsed, spared < BlockCache.sparedMax {
                spared += 1
                main.append(block)
                continue
            }
            if takesSmall { ghosts.insert(unsafe block.links.pointee.fingerprint) }
            unsafe block.links.pointee.slot?.pointee.store(nil, ordering: .relaxed)
            counts.evictedCount += 1
            counts.evictedBytes += block.capacity
            return block
        }
    }
}

/// Counts since the cache was made.
package struct BlockCacheStatistics: Equatable, Sendable {
    /// Lookups that found their block in memory. Slightly inexact if threads count at the same time.
    package var hitCount = 0
    /// Blocks that were read from a file because they were not in memory.
    package var missCount = 0
    package var insertedCount = 0
    package var insertedBytes = 0
    package var evictedCount = 0
    package var evictedBytes = 0
    /// The number of blocks now in the cache.
    package var blockCount = 0
    package var bytes = 0
    package var capacityBytes = 0
    /// Memory taken from the system for cached blocks, for evicted blocks that are not yet freed, and for gaps between
    /// blocks.
    package var reservedBytes = 0
}
