import Synchronization

/// The first 64 bytes of a loaded block: the cache line that lookups read first.
///
/// Offsets count from the start of the allocation. All fields but the atomic one are written before the block is
/// shared, and are constant afterwards.
@unsafe
struct DataBlockHeader: ~Copyable {
    /// Set by a hit, cleared by the cache's hand: the block was used since the hand's last round.
    let isVisited = Atomic<Bool>(false)
    /// True if a key has more than one version.
    var hasVersions = false
    /// 0 if all entries have the kind at `kindsOffset`, else 1.
    var kindStride: UInt8 = 0
    /// 0 if there is no expiry column (`expiriesOffset` then points to a zero), else 8.
    var expiryStride: UInt8 = 0
    /// 0 if all entries have the base sequence (`sequencesOffset` then points to a zero), else 1, 2, 4 or 7.
    var sequenceWidth: UInt8 = 0
    /// The right shift of a word of ones that gives the mask for a sequence of this width.
    var sequenceMaskShift: UInt8 = 56
    /// The common kind, if all entries have the same.
    var oneKind: UInt8 = 0
    var count: UInt32 = 0
    /// The number of entries per group of the sampled heads.
    var groupLength: UInt32 = 0
    var prefixCount: UInt32 = 0
    var prefixOffset: UInt32 = 0
    var rowsOffset: UInt32 = 0
    var suffixesOffset: UInt32 = 0
    var valuesOffset: UInt32 = 0
    var kindsOffset: UInt32 = 0
    var sequencesOffset: UInt32 = 0
    var expiriesOffset: UInt32 = 0
    var sequenceBase: UInt64 = 0
    /// The zero to which absent columns point.
    let zero: UInt64 = 0

    static var oneKindOffset: Int { 6 }
    static var zeroOffset: Int { 56 }
}

/// The fields that the cache and the holders of a block use. The cache accesses the list links only under its lock.
@unsafe
struct DataBlockLinks: ~Copyable {
    /// The cache's reference and those of cursors. The holder that releases the last one frees the block.
    let references = Atomic<Int>(1)
    /// The size of the allocation in bytes.
    var capacity: Int
    var newer: UnsafeMutablePointer<DataBlockHeader>?
    var older: UnsafeMutablePointer<DataBlockHeader>?
    /// The segment's pointer to this block while the block is cached.
    var slot: UnsafeMutablePointer<BlockSlot>?
    var fingerprint: UInt64 = 0
    var queue = BlockQueue.Name.none
    let home: BlockHome
    /// True once the owner counts the block as evicted but not yet freed.
    var isInLimbo = false
    /// The length of the longest key suffix.
    var suffixCountMax: UInt32 = 0
    /// The owner that takes the memory back; `nil` for the heap.
    let owner: Unmanaged<BlockMemory>?

    init(capacity: Int, _ home: BlockHome, owner: Unmanaged<BlockMemory>?) {
        unsafe self.capacity = capacity
        unsafe self.home = home
        unsafe self.owner = owner
        unsafe newer = nil
        unsafe older = nil
        unsafe slot = nil
    }
}

/// The kind of a block's memory.
enum BlockHome: UInt8 {
    case heap
    /// A ``BlockRegion``.
    case region
    /// Pages that belong to this block alone.
    case pages
}

/// A segment's pointer to one of its blocks in the cache; `nil` while the block is not cached.
typealias BlockSlot = Atomic<UnsafeMutablePointer<DataBlockHeader>?>
