import Synchronization

/// The slots of a domain, allocated in chunks of 64 and never removed. Guarded by the domain's lock; owners and exiting
/// threads write their own slots with atomics.
@safe
struct EpochSlots: ~Copyable {
    private static let slotsPerChunk = 64

    private var slots: [EpochSlot] = []

    deinit {
        for (index, slot) in slots.enumerated() {
            unsafe slot.scratch?.deallocate()
            // A chunk starts at the address of its first slot.
            if index.isMultiple(of: EpochSlots.slotsPerChunk) { unsafe slot.base.deallocate() }
        }
    }

    /// Returns a slot without an owner, now owned by the caller.
    mutating func acquire() -> EpochSlot {
        for slot in slots where slot.tryOwn() { return slot }
        let firstNew = slots.count
        addChunk()
        let slot = slots[firstNew]
        let isOwned = slot.tryOwn()
        assert(isOwned)
        return slot
    }

    /// The smallest epoch that a pin holds; `UInt.max` if nothing is pinned.
    var oldestPin: UInt {
        var oldest = UInt.max
        for slot in slots {
            // Acquiring: if this reads an unpin or a later pin, the reads of the earlier pin are over.
            let epoch = unsafe slot.epoch.pointee.load(ordering: .acquiring)
            if epoch != 0 { oldest = min(oldest, epoch) }
        }
        return oldest
    }

    /// The number of slots that belong to threads.
    var ownedCount: Int { slots.count { slot in unsafe slot.owner.pointee.load(ordering: .acquiring) != 0 } }

    private mutating func addChunk() {
        let bytes = EpochSlots.slotsPerChunk * EpochSlot.stride
        let chunk = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: EpochSlot.stride)
        unsafe chunk.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
        for index in 0..<EpochSlots.slotsPerChunk {
            let slot = unsafe EpochSlot(base: chunk + index * EpochSlot.stride)
            unsafe slot.epoch.initialize(to: Atomic(0))
            unsafe slot.owner.initialize(to: Atomic(0))
            slot.number = slots.count
            slots.append(slot)
        }
    }
}
