package import ShalePlatform
import Synchronization

/// The cache of decompressed data blocks, without a hash table: a segment has a pointer ("slot") per block, and a hit is
/// one load of it under the reader's epoch pin. The cache only decides what stays.
///
/// **Replacement** is S3-FIFO: new blocks enter a small queue (a tenth of the capacity); those used again before they
/// reach its end move to the main queue, the others leave and are remembered as ghosts, and a ghost that returns goes to
/// the main queue at once. The main queue gives a used block another round. A hit only sets a flag in the block.
///
/// **Lifetime.** Whoever empties a slot retires the block through the epoch domain; the cache's reference is given back
/// when no pin that could have seen the slot is left. A pinned reader may take a reference of its own to keep the block
/// longer.
///
/// Thread-safe. The lock is held for a few hundred nanoseconds per miss.
@safe
package final class BlockCache: @unchecked Sendable {
    private let budget: MemoryBudget
    private let domain: EpochDomain
    let hits = HitCounter()
    private let misses = Atomic<Int>(0)

    private let lock = Lock()
    // Guarded by `lock`:
    private var small = BlockQueue(.small)
    private var main = BlockQueue(.main)
    private var ghosts: GhostSet
    private var counts = BlockCacheStatistics()

    /// Used blocks that one eviction passes over at most, so that readers who mark faster than the hand clears can't
    /// keep it from its work.
    private static let sparedMax = 256

    package init(budget: MemoryBudget, domain: EpochDomain) {
        self.budget = budget
        self.domain = domain
        ghosts = GhostSet(capacity: min(max(budget.limitBytes >> 14, 1 << 10), 1 << 20))
    }

    package var statistics: BlockCacheStatistics {
        var result = lock.withLock {
            var result = counts
            result.blockCount = small.count + main.count
            result.bytes = small.bytes + main.bytes
            return result
        }
        result.hitCount = hits.total
        result.missCount = misses.load(ordering: .relaxed)
        result.capacityBytes = budget.cacheCapacityBytes
        return result
    }

    func countMiss() { misses.add(1, ordering: .relaxed) }

    /// Whether a block of this size may enter: no single one may push out more than an eighth.
    func admits(_ bytes: Int) -> Bool { bytes <= budget.cacheCapacityBytes / 8 }

    /// Puts a block that nobody else has seen into its slot, and returns the block to use: another thread may have been
    /// first, then that one's, and the caller's is freed. The caller is pinned.
    func insert(_ block: DataBlock, into slot: UnsafeMutablePointer<BlockSlot>, fingerprint: UInt64) -> DataBlock {
        let capacity = budget.cacheCapacityBytes
        let winner: DataBlock? = lock.withLock {
            if let present = unsafe slot.pointee.load(ordering: .acquiring) { return unsafe DataBlock(present) }
            unsafe block.links.pointee.slot = slot
            unsafe block.links.pointee.fingerprint = fingerprint
            if ghosts.remove(fingerprint) { main.append(block) } else { small.append(block) }
            counts.insertedCount += 1
            counts.insertedBytes += block.capacity
            // Releasing: whoever loads the pointer sees the parsed block.
            unsafe slot.pointee.store(block.header, ordering: .releasing)
            return nil
        }
        if let winner {
            block.free()
            return winner
        }
        // The new block may be its own victim; the caller's pin keeps it until the caller is done.
        evict(to: capacity)
        return block
    }

    /// Evicts down to the capacity that the budget grants now.
    package func trim() { evict(to: budget.cacheCapacityBytes) }

    /// Gives up the blocks in `slots`, whose segment is going away.
    func removeAll(in slots: UnsafeMutablePointer<BlockSlot>, count: Int) {
        var victims: [DataBlock] = []
        lock.withLock {
            for i in 0..<count {
                guard let header = unsafe slots[i].load(ordering: .relaxed) else { continue }
                let block = unsafe DataBlock(header)
                if unsafe block.links.pointee.queue == .small { small.remove(block) } else { main.remove(block) }
                unsafe slots[i].store(nil, ordering: .relaxed)
                victims.append(block)
            }
        }
        for victim in victims { retire(victim) }
    }

    /// Frees an unlinked block as soon as no pin, and no cursor's reference, needs it.
    func retire(_ block: DataBlock) {
        unsafe domain.retire(UnsafeMutableRawPointer(block.header), bytes: block.capacity) { pointer in
            unsafe DataBlock(pointer.assumingMemoryBound(to: DataBlockHeader.self)).release()
        }
    }

    private func evict(to capacity: Int) {
        while let victim = lock.withLock({ takeVictim(capacity) }) { retire(victim) }
    }

    /// Unlinks the next block to go while more than `capacity` is held.
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
