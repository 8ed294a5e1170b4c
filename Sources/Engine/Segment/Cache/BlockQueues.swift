/// A FIFO queue of cached blocks, linked through their headers. Guarded by the cache's lock.
@safe
struct BlockQueue {
    /// The queue that a block is in.
    enum Name: UInt8 {
        case none
        case small
        case main
    }

    let name: Name
    private var newest: UnsafeMutablePointer<DataBlockHeader>?
    private var oldest: UnsafeMutablePointer<DataBlockHeader>?
    private(set) var bytes = 0
    private(set) var count = 0

    init(_ name: Name) {
        self.name = name
        unsafe newest = nil
        unsafe oldest = nil
    }

    mutating func append(_ block: DataBlock) {
        unsafe block.links.pointee.newer = nil
        unsafe block.links.pointee.older = newest
        if let newest = unsafe newest {
            unsafe DataBlock(newest).links.pointee.newer = block.header
        } else {
            unsafe oldest = block.header
        }
        unsafe newest = block.header
        unsafe block.links.pointee.queue = name
        bytes += block.capacity
        count += 1
    }

    mutating func removeOldest() -> DataBlock? {
        guard let header = unsafe oldest else { return nil }
        let block = unsafe DataBlock(header)
        remove(block)
        return block
    }

    mutating func remove(_ block: DataBlock) {
        let links = unsafe block.links
        let newer = unsafe links.pointee.newer
        let older = unsafe links.pointee.older
        if let newer = unsafe newer {
            unsafe DataBlock(newer).links.pointee.older = older
        } else {
            unsafe newest = older
        }
        if let older = unsafe older {
            unsafe DataBlock(older).links.pointee.newer = newer
        } else {
            unsafe oldest = newer
        }
        unsafe links.pointee.newer = nil
        unsafe links.pointee.older = nil
        unsafe links.pointee.queue = .none
        bytes -= block.capacity
        count -= 1
    }
}

/// The set of recently evicted blocks, by fingerprint, for about as many insertions as its capacity.
///
/// Constant memory, O(1). A forgotten or colliding fingerprint only puts a block into the wrong queue.
struct GhostSet {
    private struct Slot {
        var fingerprint: UInt32 = 0
        /// The time of the insertion; 0 if the slot is empty.
        var time: UInt32 = 0
    }

    private static let ways = 4

    private var slots: [Slot]
    private let bucketMask: Int
    private var time: UInt32 = 1

    /// Makes an empty set; `capacity` is rounded up to a power of two.
    init(capacity: Int) {
        var buckets = 1
        while buckets * GhostSet.ways < capacity { buckets *= 2 }
        slots = Array(repeating: Slot(), count: buckets * GhostSet.ways)
        bucketMask = buckets - 1
    }

    /// Inserts the fingerprint, or renews its time.
    mutating func insert(_ fingerprint: UInt64) {
        let bucket = bucket(fingerprint)
        let wanted = UInt32(truncatingIfNeeded: fingerprint >> 32)
        let own = bucket.first { slots[$0].time != 0 && slots[$0].fingerprint == wanted }
        let oldest = bucket.min { age(slots[$0]) > age(slots[$1]) } ?? bucket.lowerBound
        slots[own ?? oldest] = Slot(fingerprint: wanted, time: time)
        time = time == .max ? 1 : time + 1
    }

    /// Returns true if the fingerprint was one of the last `insertions`.
    func contains(_ fingerprint: UInt64, within insertions: Int) -> Bool {
        let wanted = UInt32(truncatingIfNeeded: fingerprint >> 32)
        let oldest = UInt32(min(insertions, slots.count))
        return bucket(fingerprint).contains { slot in
            slots[slot].time != 0 && slots[slot].fingerprint == wanted && age(slots[slot]) <= oldest
        }
    }

    /// Removes the fingerprint. Returns true if it was inserted recently.
    mutating func remove(_ fingerprint: UInt64) -> Bool {
        let wanted = UInt32(truncatingIfNeeded: fingerprint >> 32)
        for i in bucket(fingerprint) where slots[i].time != 0 && slots[i].fingerprint == wanted {
            let isRecent = age(slots[i]) <= UInt32(slots.count)
            slots[i] = Slot()
            return isRecent
        }
        return false
    }

    private func age(_ slot: Slot) -> UInt32 { slot.time == 0 ? .max : time &- slot.time }

    private func bucket(_ fingerprint: UInt64) -> Range<Int> {
        let first = (Int(truncatingIfNeeded: fingerprint) & bucketMask) * GhostSet.ways
        return first..<(first + GhostSet.ways)
    }
}
