import Synchronization

/// A table of memory ranges that a signal handler reads without a lock. Its memory is never freed.
///
/// A slot has four words: a version, the start of the range (0: the slot is free), its size, and a flag for a failed
/// store. A reader must not combine the start of a removed range with the size of the range that reused the slot. That
/// false range could contain the address of a foreign failed store, which would go unreported. Hence:
///
/// 1. A writer makes the version odd before it changes start and size, and even afterwards. The version rises with
///    each change.
/// 2. A reader accepts start and size only if it finds the same even version before and after.
/// 3. A reader skips a slot that is changing. The range it looks for is not there: that range's owner is the
///    interrupted thread.
@safe
struct GuardTable: @unchecked Sendable {
    private static let slotWords = 4
    private let words: UnsafeMutablePointer<Atomic<UInt>>
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        let count = capacity * GuardTable.slotWords
        unsafe words = .allocate(capacity: count)
        for index in 0..<count { unsafe (words + index).initialize(to: Atomic(0)) }
    }

    private func word(_ index: Int, _ field: Int) -> UnsafeMutablePointer<Atomic<UInt>> {
        unsafe words + (index * GuardTable.slotWords + field)
    }

    func isFree(_ index: Int) -> Bool { unsafe word(index, 1).pointee.load(ordering: .relaxed) == 0 }

    /// Sets slot `index` to this range, or frees it if `start` is 0. One thread calls this at a time.
    func set(_ index: Int, start: UInt, count: UInt) {
        let version = unsafe word(index, 0)
        let before = unsafe version.pointee.load(ordering: .relaxed)
        unsafe version.pointee.store(before &+ 1, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        unsafe word(index, 1).pointee.store(start, ordering: .relaxed)
        unsafe word(index, 2).pointee.store(count, ordering: .relaxed)
        if start != 0 { unsafe word(index, 3).pointee.store(0, ordering: .relaxed) }
        unsafe version.pointee.store(before &+ 2, ordering: .releasing)
    }

    /// Returns true if slot `index` holds a range that contains `address`. `betweenLoads` is for tests.
    @inline(__always)
    func holds(_ address: UInt, in index: Int, betweenLoads: () -> Void = {}) -> Bool {
        let before = unsafe word(index, 0).pointee.load(ordering: .acquiring)
        let start = unsafe word(index, 1).pointee.load(ordering: .relaxed)
        betweenLoads()
        let count = unsafe word(index, 2).pointee.load(ordering: .relaxed)
        atomicMemoryFence(ordering: .acquiring)
        let after = unsafe word(index, 0).pointee.load(ordering: .relaxed)
        guard before == after, before & 1 == 0 else { return false }
        return start != 0 && address >= start && address - start < count
    }

    func raise(_ index: Int) { unsafe word(index, 3).pointee.store(1, ordering: .relaxed) }

    func flag(_ index: Int) -> FaultFlag { unsafe FaultFlag(word(index, 3)) }
}
