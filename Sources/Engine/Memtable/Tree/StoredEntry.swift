import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// One version of one key in the arena. Immutable once the tree refers to it.
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 8 | trailer |
/// | 8 | 4 | arena offset of the next older version, 0 = none |
/// | 12 | 4 | value length |
/// | 16 | 2 | key length |
/// | 18 | 8 | expiry, only if the kind has one |
/// | … | | encoded key, value |
/// | next multiple of 8 | 8 | version link (``VersionChain``), only if there is an older version |
///
/// Holds a plain address, which is valid until the arena is reset.
@safe
struct StoredEntry {
    private let start: UnsafeMutableRawPointer

    private static let olderOffset = 8
    private static let valueCountOffset = 12
    private static let keyCountOffset = 16
    private static let fixedBytes = 18

    @inline(__always)
    init(at start: UnsafeMutableRawPointer) { unsafe self.start = start }

    @inline(__always)
    var trailer: Trailer { Trailer(rawValue: unsafe start.load(as: UInt64.self)) }

    /// 0 = none.
    @inline(__always)
    var older: UInt32 { unsafe start.load(fromByteOffset: StoredEntry.olderOffset, as: UInt32.self) }

    @inline(__always)
    private var keyCount: Int {
        Int(unsafe start.load(fromByteOffset: StoredEntry.keyCountOffset, as: UInt16.self))
    }

    @inline(__always)
    private var valueCount: Int {
        Int(unsafe start.load(fromByteOffset: StoredEntry.valueCountOffset, as: UInt32.self))
    }

    @inline(__always)
    private static func keyOffset(_ kind: EntryKind) -> Int {
        // 8 if the expiry flag is set, without a branch.
        fixedBytes &+ Int((kind.rawValue & EntryKind.expiryFlag) &>> 1)
    }

    @inline(__always)
    var key: Bytes {
        unsafe Bytes(start: UnsafeRawPointer(start) + StoredEntry.keyOffset(trailer.kind), count: keyCount)
    }

    @inline(__always)
    var value: Bytes {
        unsafe Bytes(
            start: UnsafeRawPointer(start) + (StoredEntry.keyOffset(trailer.kind) &+ keyCount), count: valueCount)
    }

    /// 0 for entries without an expiry.
    @inline(__always)
    var expiry: Int64 {
        guard trailer.kind.hasExpiry else { return 0 }
        return unsafe start.loadUnaligned(fromByteOffset: StoredEntry.fixedBytes, as: Int64.self)
    }

    @inline(__always)
    var found: FoundEntry { FoundEntry(trailer: trailer, expiry: expiry, value: value) }

    @inline(__always)
    func entry(headOffset: Int) -> Entry {
        let key = key
        return Entry(head: key.head(at: headOffset), key: key, trailer: trailer, expiry: expiry, value: value)
    }

    /// Loads a byte of each further cache line, so that the loads overlap. For long values the processor's prefetcher
    /// does the rest. Returns a sum that the caller has to use.
    @inline(__always)
    func touch() -> UInt8 {
        let last = StoredEntry.keyOffset(trailer.kind) &+ keyCount &+ valueCount &- 1
        var sum = unsafe start.load(fromByteOffset: last, as: UInt8.self)
        var offset = StoredEntry.lineBytes
        while offset < min(last, StoredEntry.touchedBytesMax) {
            sum &+= unsafe start.load(fromByteOffset: offset, as: UInt8.self)
            offset &+= StoredEntry.lineBytes
        }
        return sum
    }

    /// Loads the fixed fields and the usual end of the key. Returns a sum that the caller has to use.
    @inline(__always)
    func touchKey() -> UInt8 {
        unsafe start.load(as: UInt8.self) &+ start.load(fromByteOffset: StoredEntry.usualKeyEnd, as: UInt8.self)
    }

    /// Inside every entry's allocation, or in the arena's slack after the last one.
    private static var usualKeyEnd: Int { 40 }

    private static var lineBytes: Int { 64 }
    private static var touchedBytesMax: Int { 512 }

    /// The address of the version link, if there is an older version.
    @inline(__always)
    var linkAddress: UnsafeMutableRawPointer {
        let end = StoredEntry.keyOffset(trailer.kind) &+ keyCount &+ valueCount
        return unsafe start + ((end &+ 7) & ~7)
    }
}

// MARK: - Writing

extension StoredEntry {
    /// Writes an entry with the key `namespace ‖ userKey`, which no reader can see yet. Returns its offset.
    @inline(__always)
    static func write(
        in arena: Arena, _ namespace: NamespaceID, _ userKey: Bytes, _ trailer: Trailer, _ expiry: Int64, _ value: Bytes
    ) -> UInt32 {
        let keyCount = EncodedKey.namespaceWidth &+ userKey.count
        let keyOffset = StoredEntry.keyOffset(trailer.kind)
        let size = keyOffset &+ keyCount &+ value.count
        let offset = arena.allocate(size)
        let target = unsafe MutableBytes(start: arena.address(offset), count: size)
        target.store(trailer.rawValue, at: 0)
        target.store(UInt32(0), at: olderOffset)
        target.store(UInt32(truncatingIfNeeded: value.count), at: valueCountOffset)
        target.store(UInt16(truncatingIfNeeded: keyCount), at: keyCountOffset)
        if trailer.kind.hasExpiry { target.store(expiry, at: fixedBytes) }
        target.store(namespace.rawValue.byteSwapped, at: keyOffset)
        target.copy(userKey, at: keyOffset &+ EncodedKey.namespaceWidth)
        target.copy(value, at: keyOffset &+ keyCount)
        return offset
    }

    /// Sets the next older version. Only before the entry is published.
    @inline(__always)
    func setOlder(_ older: UInt32) {
        unsafe start.storeBytes(of: older, toByteOffset: StoredEntry.olderOffset, as: UInt32.self)
    }
}

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
