import Synchronization

/// Ranges of memory, in slots that a signal handler reads without a lock. Its memory is never freed.
///
/// A slot has four words: a version, where the range starts (0: the slot is free), its size, and whether a store has
/// failed in it. The version is odd while start and size change, and rises with each change. A reader that finds the
/// same even version before and after has read a start and a size that belong together. Without it, the start of a
/// range that was removed and the size of the one that took its slot would make a third range, which may hold the
/// address of somebody else's failed store: that one would go unreported.
///
/// A reader passes over a slot that is changing. The range that it looks for is not there: its owner is the thread that
/// the signal has interrupted.
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

    /// Makes slot `index` hold this range, or none if `start` is 0. One thread at a time.
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

    /// Whether slot `index` holds a range with `address` in it. `betweenLoads` is for tests.
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
