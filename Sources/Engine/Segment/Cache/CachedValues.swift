package import ShaleBase
package import ShaleValues
import Synchronization

/// The slots of large values that are in the block cache.
///
/// A value has two possible slots, at its checksum, which is distributed evenly, and beside it. A third value in the
/// same place evicts one of them. A block of a value holds the reference, then the value.
///
/// Lookups take no lock; changes are made under the cache's lock.
@safe
struct CachedValues: ~Copyable, @unchecked Sendable {
    /// The bytes of a block before the value: one cache line.
    static let prefixBytes = 64
    /// The bytes of the budget for each slot. Smaller values compete for slots.
    private static let bytesPerSlot = 2048

    private let count: Int
    /// Set with the first value; a store without value files has none.
    private let slots: Atomic<UnsafeMutablePointer<BlockSlot>?> = unsafe Atomic(nil)

    init(budgetBytes: Int) {
        var count = 64
        while count < budgetBytes / CachedValues.bytesPerSlot, count < 1 << 24 { count *= 2 }
        self.count = count
    }

    deinit { unsafe slots.load(ordering: .relaxed)?.deallocate() }

    /// The bytes of the slots, once there are some.
    var byteCount: Int { unsafe count * MemoryLayout<BlockSlot>.stride }

    /// Returns the block of a value; `nil` if it is not in the cache. The block is borrowed until the calling thread,
    /// which is pinned, unpins.
    @inline(__always)
    func find(_ reference: ValueReference) -> DataBlock? {
        guard let slots = unsafe slots.load(ordering: .acquiring) else { return nil }
        let first = place(reference)
        return unsafe CachedValues.block(in: slots + first, of: reference)
            ?? CachedValues.block(in: slots + (first ^ 1), of: reference)
    }

    @inline(__always)
    private static func block(
        in slot: UnsafeMutablePointer<BlockSlot>, of reference: ValueReference
    ) -> DataBlock? {
        guard let header = unsafe slot.pointee.load(ordering: .acquiring) else { return nil }
        let block = unsafe DataBlock(header)
        return isBlock(block, of: reference) ? block : nil
    }

    /// Returns the slot for a value that is not in the cache: an empty one, if there is one. Under the cache's lock.
    func slot(for reference: ValueReference) -> UnsafeMutablePointer<BlockSlot> {
        let slots = unsafe allocated()
        let first = place(reference)
        let isTaken = unsafe slots[first].load(ordering: .relaxed) != nil
        return unsafe isTaken && slots[first ^ 1].load(ordering: .relaxed) == nil ? slots + (first ^ 1) : slots + first
    }

    /// Calls `body` with every block. Under the cache's lock.
    func forEach(_ body: (DataBlock) -> Void) {
        guard let slots = unsafe slots.load(ordering: .relaxed) else { return }
        for place in 0..<count {
            if let header = unsafe slots[place].load(ordering: .relaxed) { body(unsafe DataBlock(header)) }
        }
    }

    var isEmpty: Bool { unsafe slots.load(ordering: .relaxed) == nil }

    private func allocated() -> UnsafeMutablePointer<BlockSlot> {
        if let slots = unsafe slots.load(ordering: .relaxed) { return unsafe slots }
        let fresh = UnsafeMutablePointer<BlockSlot>.allocate(capacity: count)
        for place in 0..<count { unsafe (fresh + place).initialize(to: BlockSlot(nil)) }
        // Releasing: a thread that loads the pointer sees the empty slots.
        unsafe slots.store(fresh, ordering: .releasing)
        return unsafe fresh
    }

    @inline(__always)
    private func place(_ reference: ValueReference) -> Int {
        Int(truncatingIfNeeded: reference.checksum) & (count &- 1)
    }

    // MARK: Blocks

    static func blockBytes(_ reference: ValueReference) -> Int {
        DataBlock.bytesNeeded(count: 0, rawLength: prefixBytes + reference.count)
    }

    /// Stores the reference into its block, and returns the memory for the value.
    static func begin(_ block: DataBlock, of reference: ValueReference) -> MutableBytes {
        let target = block.rawTarget(count: 0, rawLength: prefixBytes + reference.count)
        reference.encode(into: target)
        return target.slice(prefixBytes, reference.count)
    }

    /// Returns the value in the block of `reference`.
    @inline(__always)
    static func value(_ block: DataBlock, of reference: ValueReference) -> Bytes {
        block.rawTarget(count: 0, rawLength: prefixBytes &+ reference.count).bytes.slice(prefixBytes, reference.count)
    }

    /// True if the block has the value to which `reference` leads. The checksum is bound to file and offset, so files
    /// of the same number in two directories are not confused.
    @inline(__always)
    private static func isBlock(_ block: DataBlock, of reference: ValueReference) -> Bool {
        let stored = block.rawTarget(count: 0, rawLength: prefixBytes).bytes
        return stored.u64(at: 20) == reference.checksum && stored.u64(at: 0) == reference.file
            && stored.u64(at: 8) == reference.offset
            && stored.u32(at: 16) == UInt32(truncatingIfNeeded: reference.count)
    }
}

/// A large value: in the cache, valid while the calling thread is pinned, or read for this caller.
package struct LargeValue {
    package let bytes: Bytes
    /// The owner of the bytes; `nil` if the cache owns them.
    private let owner: OwnedBytes?

    init(cached bytes: Bytes) {
        self.bytes = bytes
        owner = nil
    }

    init(_ owner: OwnedBytes) {
        bytes = owner.bytes
        self.owner = owner
    }
}

extension BlockCache {
    /// The largest value that is cached.
    private static let valueBytesMax = 1 << 20

    /// Returns the value at `reference` if it is in the cache. The caller is pinned, and uses the result before it
    /// unpins. Counts no reference.
    @inline(__always)
    package func cachedValue(_ reference: ValueReference) -> LargeValue? {
        guard let block = values.find(reference) else { return nil }
        block.touch()
        hints.countHit()
        return LargeValue(cached: CachedValues.value(block, of: reference))
    }

    /// Reads and checks the value at `reference`, which is not in the cache. The caller is pinned, and uses the result
    /// before it unpins.
    ///
    /// A value enters the cache while there is room, or if it was missed a short time before: see
    /// ``admits(_:_:)``. So a uniform read of many values replaces few blocks.
    ///
    /// - Parameter fillCache: False if the value does not enter the cache in any case.
    @inline(never)
    package func readValue(
        _ reference: ValueReference, from source: ValueSource, fillCache: Bool
    ) throws(StorageError) -> LargeValue {
        countMiss()
        let bytes = CachedValues.blockBytes(reference)
        let fingerprint = Checksum.place(reference.file, reference.offset)
        guard fillCache, reference.count <= BlockCache.valueBytesMax, admits(fingerprint, bytes) else {
            return LargeValue(try source.read(reference))
        }
        var block = makeBlock(bytes, fillCache: true)
        do {
            try source.read(reference, into: CachedValues.begin(block, of: reference))
        } catch {
            block.free()
            throw error
        }
        if block.mayBeCached {
            block = insert(block, of: reference, fingerprint: fingerprint)
        } else {
            // It lives as long as the pin.
            retire(block)
        }
        return LargeValue(cached: CachedValues.value(block, of: reference))
    }
}
