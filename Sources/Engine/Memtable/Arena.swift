package import ShaleBase
import ShalePlatform
import Synchronization

/// The memory of one memtable: a bump allocator over reserved pages, which frees nothing until it is reset as a whole.
///
/// Offsets count units of eight bytes. Unit 0 is the arena's header and never allocated, so that offset 0 can mean
/// "nothing".
///
/// **Bound.** ``capacity`` is soft: allocation does not check it. Only ``hasRoom(bytes:operations:)`` does, before a
/// batch is accepted. An accepted batch must then fit, whatever shape its keys give the tree. It does, by an amortised
/// argument:
///
/// 1. An insert allocates its entry, at most key + value + ``entryOverheadMax``, and at most one node. A split creates
///    a 40-byte Node4. Adding a child is free or copies the node into the next size: 96, 464, 1 040 bytes for the 5th,
///    17th, 49th child. Let every added child pay 38 bytes into its node: 3 · 38 ≥ 96, 15 · 38 ≥ 96 + 464, 47 · 38 ≥ 96
///    + 464 + 1 040. So inserts into an empty tree use at most 40 bytes of nodes each (``nodeBytesPerInsert``).
/// 2. A tree that is not empty has credit already, and a batch may make all its nodes grow at once. The credit of a
///    node is at most 76, 436, 1 188 bytes (4, 16, 48 children). It and its predecessors take 40, 136, 600 bytes, and
///    each child takes at least 24. Let each child lend these 24 to its parent: 40 + 4·24 − 24 ≥ 76, 136 + 16·24 − 24 ≥
///    436, 600 + 48·24 − 24 ≥ 1 188. So the total credit is at most the bytes in use.
/// 3. Hence bytes in use after the batch ≤ 2 · used + bytes + operations · overhead ≤ 2 · capacity. That much is
///    reserved, and its pages are touched only when used.
///
/// One thread allocates; any thread may read ``allocatedBytes``.
@safe
package final class Arena: @unchecked Sendable {
    /// The bytes of an entry beside user key and value: fixed fields 18, namespace 4, expiry 8, version link 8, padding
    /// 7.
    static let entryOverheadMax = 45
    static let nodeBytesPerInsert = 40
    /// The header and a margin for rounding.
    private static let slack = 4096

    static let unit = 8
    /// The offset, in bytes, of the tree's root slot in the header. The header fills its own cache line.
    static let rootOffset = 8
    private static let headerBytes = 64

    package let capacity: Int
    let start: UnsafeMutableRawPointer
    private let memory: PageMemory
    /// The pool to return the arena to, while it is in use. A kept arena does not refer to its pool, which would be a
    /// reference cycle.
    let pool = Locked<ArenaPool?>(nil)
    private let used = Atomic<Int>(Arena.headerBytes)

    /// Creates an empty arena.
    ///
    /// - Precondition: `capacity` is at most 4 GiB; offsets reach 16 GiB.
    package init(capacity: Int) throws(IOFailure) {
        precondition(capacity > 0 && capacity <= 4 << 30, "an arena holds at most 4 GiB")
        self.capacity = capacity
        memory = try PageMemory(reserving: 2 * capacity + Arena.slack)
        unsafe start = memory.start
        reset()
    }

    /// Returns the smallest capacity with which an empty arena has room for a batch.
    package static func capacity(forBytes bytes: Int, operations: Int) -> Int {
        headerBytes + bytes + operations * (entryOverheadMax + nodeBytesPerInsert)
    }

    /// True if a batch with `bytes` bytes of user keys and values, in `operations` operations, may be inserted.
    package func hasRoom(bytes: Int, operations: Int) -> Bool {
        allocatedBytes - Arena.headerBytes + Arena.capacity(forBytes: bytes, operations: operations) <= capacity
    }

    package var allocatedBytes: Int { used.load(ordering: .relaxed) }

    /// Removes everything. The caller must hold no offset or address into this arena.
    package func reset() {
        unsafe SchedulePoint.poison(start, used.load(ordering: .relaxed))
        used.store(Arena.headerBytes, ordering: .relaxed)
        unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: Arena.headerBytes)
    }

    /// Returns the arena to its pool, if it has one. The caller must not use it any more.
    func returnToPool() {
        let owner = pool.withLock { pool in
            defer { pool = nil }
            return pool
        }
        owner?.give(self)
    }

    /// Allocates memory with unspecified content. Returns its offset in units.
    @inline(__always)
    func allocate(_ bytes: Int) -> UInt32 {
        let offset = used.load(ordering: .relaxed)
        let end = offset &+ ((bytes &+ 7) & ~7)
        // Only a caller that did not check `hasRoom` gets here with too much. Writing on would corrupt other memory.
        precondition(end <= memory.count, "the arena's reservation is exhausted")
        used.store(end, ordering: .relaxed)
        return UInt32(truncatingIfNeeded: offset &>> 3)
    }

    @inline(__always)
    func address(_ offset: UInt32) -> UnsafeMutableRawPointer {
        unsafe start + Int(offset) &* Arena.unit
    }
}

/// Keeps arenas of the standard capacity whose pages were touched before. First touches cost about 70 ns per entry, a
/// large part of an insert.
///
/// Arenas in use count towards `keptMax`: kept and used arenas together never exceed it, unless more are in use at
/// once. Thread-safe.
package final class ArenaPool: Sendable {
    package let capacity: Int
    package let keptMax: Int
    private let kept = Locked<[Arena]>([])
    private let inUse = Atomic<Int>(0)

    /// Creates an empty pool.
    ///
    /// - Parameters:
    ///   - capacity: The bytes of an arena.
    ///   - keptMax: The number of arenas, used and unused, up to which unused ones are kept.
    package init(capacity: Int, keptMax: Int) {
        self.capacity = capacity
        self.keptMax = keptMax
    }

    /// Returns an empty arena of the standard capacity, recycled if possible. A memtable returns it when it is
    /// released.
    package func take() throws(IOFailure) -> Arena {
        let recycled = kept.withLock { $0.popLast() }
        let arena = if let recycled { recycled } else { try Arena(capacity: capacity) }
        arena.pool.withLock { $0 = self }
        inUse.add(1, ordering: .relaxed)
        return arena
    }

    /// Returns an empty arena in which such a batch certainly fits: a standard one if that suffices, otherwise one of
    /// the required size.
    package func take(forBatchBytes bytes: Int, operations: Int) throws(IOFailure) -> Arena {
        let wanted = Arena.capacity(forBytes: bytes, operations: operations)
        return wanted <= capacity ? try take() : try Arena(capacity: wanted)
    }

    /// Takes back an unused arena. Frees it if it is surplus.
    func give(_ arena: Arena) {
        arena.reset()
        let othersInUse = inUse.subtract(1, ordering: .relaxed).newValue
        kept.withLock { arenas in
            if arenas.count + othersInUse < keptMax { arenas.append(arena) }
        }
    }

    /// Frees the kept arenas, under memory pressure.
    package func trim() {
        kept.withLock { $0.removeAll() }
    }

    package var keptCount: Int { kept.withLock { $0.count } }

    /// The memory that standard arenas may have touched, used and kept.
    package var heldBytes: Int { (keptCount + inUse.load(ordering: .relaxed)) * capacity }
}
