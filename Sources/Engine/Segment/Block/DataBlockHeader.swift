import Synchronization

/// The line in front of a loaded block that lookups read first. 64 bytes.
///
/// Offsets count from the start of the allocation. Everything but the atomic is written before the block is shared and
/// constant afterwards.
@unsafe
struct DataBlockHeader: ~Copyable {
    /// Set by a hit, cleared by the cache's hand: the block was used since the hand last came by.
    let isVisited = Atomic<Bool>(false)
    /// Some key has more than one version.
    var hasVersions = false
    /// 0 if all entries have the kind at `kindsOffset`, else 1.
    var kindStride: UInt8 = 0
    /// 0 if there is no expiry column (`expiriesOffset` then shows a zero), else 8.
    var expiryStride: UInt8 = 0
    /// 0 if all entries have the base sequence (`sequencesOffset` then shows a zero), else 1, 2, 4 or 7.
    var sequenceWidth: UInt8 = 0
    /// How far a word of ones is shifted to the right to mask a sequence of this width.
    var sequenceMaskShift: UInt8 = 56
    /// The kind of all entries, if they have one.
    var oneKind: UInt8 = 0
    var count: UInt32 = 0
    /// Entries per group of the sampled heads.
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
    /// What columns that are not there show.
    let zero: UInt64 = 0

    static var oneKindOffset: Int { 6 }
    static var zeroOffset: Int { 56 }
}

/// What the cache and the holders of a block keep in it. The links belong to the cache and are only touched under its
/// lock.
@unsafe
struct DataBlockLinks: ~Copyable {
    /// The cache's reference and those of cursors. The one who takes it to zero frees the block.
    let references = Atomic<Int>(1)
    /// Bytes of the allocation.
    var capacity: Int
    var newer: UnsafeMutablePointer<DataBlockHeader>?
    var older: UnsafeMutablePointer<DataBlockHeader>?
    /// Where the segment keeps its pointer to this block while it is cached.
    var slot: UnsafeMutablePointer<BlockSlot>?
    var fingerprint: UInt64 = 0
    var queue = BlockQueue.Name.none
    let home: BlockHome
    /// Counted by its owner as having left the cache.
    var isInLimbo = false
    /// Length of the longest key suffix.
    var suffixCountMax: UInt32 = 0
    /// Who takes the memory back; nil = the heap.
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

/// Where a block's memory comes from.
enum BlockHome: UInt8 {
    case heap
    /// A ``BlockRegion``.
    case region
    /// Pages of its own.
    case pages
}

/// A segment's pointer to one of its blocks in the cache; empty while the block is not cached.
typealias BlockSlot = Atomic<UnsafeMutablePointer<DataBlockHeader>?>
