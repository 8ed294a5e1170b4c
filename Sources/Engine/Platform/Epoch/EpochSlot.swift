public import ShaleBase
public import Synchronization

/// One thread's slot in an ``EpochDomain``, returned by `pin`. Trivial: a copy costs nothing.
///
/// Only the thread that got the slot may use it, and only between `pin` and `unpin`; for that reason it isn't
/// `Sendable`. It must not live across a suspension point of an async function. The pointer leads to 128 bytes inside a
/// chunk that lives as long as its domain.
@safe @frozen
@usableFromInline
package struct EpochSlot {
    @usableFromInline let base: UnsafeMutableRawPointer

    @inlinable @inline(__always)
    init(base: UnsafeMutableRawPointer) { unsafe self.base = base }

    // Two cache lines per slot, because the processor fetches them in pairs:
    //   0  epoch    Atomic<UInt>, 0 = not pinned; written by the owner, read by collectors
    //   8  nesting  Int, private to the owner
    //  16  scratch  address of the key scratch, set when the slot is first used
    //  24  owner    Atomic<UInt>, 1 = belongs to a thread
    //  32  number   Int, its index among the domain's slots; constant
    static var stride: Int { 128 }
    @inlinable static var nestingOffset: Int { 8 }
    @inlinable static var scratchOffset: Int { 16 }
    static var ownerOffset: Int { 24 }
    @inlinable static var numberOffset: Int { 32 }

    /// The longest user key, the namespace id, and padding for a reader that loads whole words.
    @inlinable package static var scratchBytes: Int { (16 << 10) + 64 }

    /// A buffer of ``scratchBytes`` bytes for the key that the calling thread looks up.
    ///
    /// Its content lasts until the thread encodes its next key.
    @inlinable @inline(__always)
    package var keyScratch: MutableBytes {
        unsafe MutableBytes(
            start: base.load(fromByteOffset: EpochSlot.scratchOffset, as: UnsafeMutableRawPointer.self),
            count: EpochSlot.scratchBytes)
    }

    @inlinable @inline(__always)
    var epoch: UnsafeMutablePointer<Atomic<UInt>> {
        unsafe base.assumingMemoryBound(to: Atomic<UInt>.self)
    }

    var owner: UnsafeMutablePointer<Atomic<UInt>> {
        unsafe (base + EpochSlot.ownerOffset).assumingMemoryBound(to: Atomic<UInt>.self)
    }

    @inlinable @inline(__always)
    var nesting: Int {
        get { unsafe base.load(fromByteOffset: EpochSlot.nestingOffset, as: Int.self) }
        nonmutating set { unsafe base.storeBytes(of: newValue, toByteOffset: EpochSlot.nestingOffset, as: Int.self) }
    }

    /// The slot's index among the slots of its domain.
    @inlinable @inline(__always)
    var number: Int {
        get { unsafe base.load(fromByteOffset: EpochSlot.numberOffset, as: Int.self) }
        nonmutating set { unsafe base.storeBytes(of: newValue, toByteOffset: EpochSlot.numberOffset, as: Int.self) }
    }

    /// True if the thread is inside at least one pin.
    package var isPinned: Bool { nesting > 0 }

    /// The thread's key buffer; `nil` until the slot is first used.
    var scratch: UnsafeMutableRawPointer? {
        get { unsafe base.load(fromByteOffset: EpochSlot.scratchOffset, as: UnsafeMutableRawPointer?.self) }
        nonmutating set {
            unsafe base.storeBytes(
                of: newValue, toByteOffset: EpochSlot.scratchOffset, as: UnsafeMutableRawPointer?.self)
        }
    }

    /// Takes the slot if it has no owner, and allocates its key buffer. Acquiring: the last owner's accesses to nesting
    /// and buffer precede the new owner's.
    func tryOwn() -> Bool {
        let (taken, _) = unsafe owner.pointee.compareExchange(expected: 0, desired: 1, ordering: .acquiring)
        guard taken else { return false }
        if unsafe scratch == nil {
            unsafe scratch = UnsafeMutableRawPointer.allocate(byteCount: EpochSlot.scratchBytes, alignment: 64)
        }
        return true
    }

    /// Returns the slot to the domain. A thread that ends has lost every borrowed pointer, so a pin that it left open
    /// ends too.
    func release() {
        assert(!isPinned, "a thread ended inside an epoch pin")
        nesting = 0
        unsafe epoch.pointee.store(0, ordering: .releasing)
        unsafe owner.pointee.store(0, ordering: .releasing)
    }
}

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
