import ShaleBase

/// The versions of one key, newest first, searchable in O(log n) steps.
///
/// A counter that is updated a million times while an old snapshot is held must not make that snapshot's reads walk a
/// million entries. So every entry with an older version also has a jump link, placed as in a skew-binary list (Myers,
/// "An applicative random-access stack"):
///
/// 1. If the two jumps before it span equal distances, it jumps over both. Otherwise it jumps to its predecessor.
/// 2. Link = the jump's arena offset u32 | height u32, the number of older versions.
/// 3. The oldest version has height 0 and, implicitly, a jump to itself.
///
/// Keys with a single version need no link.
@safe
struct VersionChain {
    private let base: UnsafeMutableRawPointer

    /// Creates the chain of an arena.
    ///
    /// - Parameter base: The arena's start, from which offsets count.
    @inline(__always)
    init(base: UnsafeMutableRawPointer) { unsafe self.base = base }

    @inline(__always)
    private func entry(_ offset: UInt32) -> StoredEntry {
        unsafe StoredEntry(at: base + Int(offset) &* Arena.unit)
    }

    private struct Link {
        let jump: UInt32
        let height: UInt32
    }

    private func link(_ offset: UInt32) -> Link {
        let entry = entry(offset)
        guard entry.older != 0 else { return Link(jump: offset, height: 0) }
        let address = unsafe entry.linkAddress
        return Link(
            jump: unsafe address.load(as: UInt32.self), height: unsafe address.load(fromByteOffset: 4, as: UInt32.self))
    }

    /// Links `fresh` before `newest`. `fresh` must be the arena's last allocation, because its link follows it.
    func push(_ fresh: UInt32, onto newest: UInt32, in arena: Arena) {
        assert(entry(fresh).trailer.sequence > entry(newest).trailer.sequence)
        let first = link(newest)
        let second = link(first.jump)
        let third = link(second.jump)
        let spansAreEqual = first.height &- second.height == second.height &- third.height
        let linkOffset = arena.allocate(MemoryLayout<UInt64>.size)
        entry(fresh).setOlder(newest)
        let address = unsafe arena.address(linkOffset)
        assert(unsafe address == entry(fresh).linkAddress)
        unsafe address.storeBytes(of: spansAreEqual ? second.jump : newest, as: UInt32.self)
        unsafe address.storeBytes(of: first.height &+ 1, toByteOffset: 4, as: UInt32.self)
    }

    /// Returns the newest version with a sequence ≤ `limit`, starting at `newest`, which must be above `limit`.
    @inline(never)
    func find(from newest: UInt32, through limit: SequenceNumber) -> StoredEntry? {
        var offset = newest
        while true {
            let current = entry(offset)
            if current.trailer.sequence <= limit { return current }
            guard current.older != 0 else { return nil }
            let jump = link(offset).jump
            // A jump to a version at or below the limit may skip newer ones that are also at or below it.
            offset = entry(jump).trailer.sequence > limit ? jump : current.older
        }
    }
}
