import ShaleBase

/// The content of a slot of the tree: nothing, a node, or the newest entry of a key.
///
/// It is an arena offset in units of eight bytes. The top bit distinguishes entries from nodes, so 2³¹ units = 16 GiB
/// are addressable. Offset 0 belongs to the arena's header and therefore means "nothing".
struct NodeReference: Equatable {
    let rawValue: UInt32

    @inline(__always)
    init(rawValue: UInt32) { self.rawValue = rawValue }

    @inline(__always)
    static var none: NodeReference { NodeReference(rawValue: 0) }

    @inline(__always)
    static func node(_ offset: UInt32) -> NodeReference { NodeReference(rawValue: offset) }

    @inline(__always)
    static func entry(_ offset: UInt32) -> NodeReference { NodeReference(rawValue: offset | entryFlag) }

    private static var entryFlag: UInt32 { 0x8000_0000 }

    @inline(__always)
    var isNone: Bool { rawValue == 0 }

    @inline(__always)
    var isEntry: Bool { Int32(bitPattern: rawValue) < 0 }

    /// The offset from the arena's start, in units of eight bytes.
    @inline(__always)
    var offset: UInt32 { rawValue & ~NodeReference.entryFlag }
}

/// An inner node of the tree: a view of arena memory.
///
/// A node at depth *d* branches on byte *d* of the key. Depths are absolute, which makes path compression safe without
/// locks:
///
/// 1. All keys below a node agree in their first *d* bytes, whatever happens above the node.
/// 2. So a split of a compressed path puts a new Node4 above the node and leaves the node itself untouched.
///
/// Kind, depth, tail and representative are immutable. Everything else is shared with readers and accessed through
/// ``SharedMemory``.
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 1 | kind |
/// | 1 | 1 | child count (Node4, 16, 48) |
/// | 2 | 2 | depth |
/// | 4 | 4 | slot of the key that ends here, with exactly *d* bytes |
/// | 8 | 4 | tail: the four key bytes before byte *d* |
/// | 12 | 4 | representative: offset of some entry below, whose key gives the other bytes of a long compressed path |
/// | 16 | | Node4: key bytes 4, slots 4 · 4 |
/// | | | Node16: key bytes 16, slots 16 · 4 |
/// | | | Node48: per byte 1 + index of its slot or 0, 256; slots 48 · 4 |
/// | | | Node256: slots 256 · 4 |
///
/// Node4 and Node16 are unsorted and append only. **Order of stores**: slot, key bytes, then count with release; a
/// reader first loads the count with acquire. Node48: slot, then index word with release. Key bytes and index bytes are
/// kept in whole words that the writer replaces, so that all accesses to a word have one width.
@safe
struct Node {
    let start: UnsafeMutableRawPointer

    @inline(__always)
    init(at start: UnsafeMutableRawPointer) { unsafe self.start = start }

    enum Kind {
        static var node4: UInt8 { 0 }
        static var node16: UInt8 { 1 }
        static var node48: UInt8 { 2 }
        static var node256: UInt8 { 3 }
    }

    static var endOffset: Int { 4 }
    static var keysOffset: Int { 16 }
    static var slots4: Int { 20 }
    static var slots16: Int { 32 }
    static var slots48: Int { 272 }
    static var slots256: Int { 16 }

    static func byteCount(_ kind: UInt8) -> Int {
        switch kind {
        case Kind.node4: 40
        case Kind.node16: 96
        case Kind.node48: 464
        default: 1040
        }
    }

    @inline(__always)
    var kind: UInt8 { unsafe start.load(as: UInt8.self) }

    @inline(__always)
    var depth: Int { Int(unsafe start.load(fromByteOffset: 2, as: UInt16.self)) }

    @inline(__always)
    var childCount: Int { Int(unsafe SharedMemory.acquire8(start + 1)) }

    @inline(__always)
    func publishChildCount(_ count: Int) { unsafe SharedMemory.publish8(start + 1, UInt8(truncatingIfNeeded: count)) }

    @inline(__always)
    private var tail: UInt32 { unsafe start.load(fromByteOffset: 8, as: UInt32.self) }

    /// An entry below this node. Its first `depth` bytes are those of every entry below.
    @inline(__always)
    var representative: UInt32 { unsafe start.load(fromByteOffset: 12, as: UInt32.self) }

    /// Returns the content of a slot.
    ///
    /// - Parameter offset: The byte offset of a slot of this node.
    @inline(__always)
    func slot(_ offset: Int) -> NodeReference {
        NodeReference(rawValue: unsafe SharedMemory.acquire32(start + offset))
    }

    @inline(__always)
    func publish(_ reference: NodeReference, at offset: Int) {
        unsafe SharedMemory.publish32(start + offset, reference.rawValue)
    }

    @inline(__always)
    var keyWord4: UInt32 { unsafe SharedMemory.acquire32(start + Node.keysOffset) }

    /// Returns a word of key bytes or slot indexes.
    ///
    /// - Parameter index: 0 or 1 in a Node16 (key bytes), 0 ..< 32 in a Node48 (slot indexes).
    @inline(__always)
    func keyWord(_ index: Int) -> UInt64 {
        unsafe SharedMemory.acquire64(start + (Node.keysOffset &+ 8 &* index))
    }
}

// MARK: - Making

extension Node {
    /// Creates a Node4 without children, at `depth` on the path of the entry `representative` with the key `key`.
    static func make(in arena: Arena, depth: Int, key: Bytes, representative: UInt32) -> (node: Node, offset: UInt32) {
        let offset = arena.allocate(byteCount(Kind.node4))
        let node = unsafe Node(at: arena.address(offset))
        var tail: UInt32 = 0
        for position in max(0, depth - 4)..<depth {
            tail |= UInt32(key[position]) &<< UInt32(8 &* (position &- depth &+ 4))
        }
        unsafe node.start.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount(Kind.node4))
        unsafe node.start.storeBytes(of: UInt16(truncatingIfNeeded: depth), toByteOffset: 2, as: UInt16.self)
        unsafe node.start.storeBytes(of: tail, toByteOffset: 8, as: UInt32.self)
        unsafe node.start.storeBytes(of: representative, toByteOffset: 12, as: UInt32.self)
        return (node, offset)
    }
}

// MARK: - The compressed path

extension Node {
    /// Returns the first position in `from ..< depth` at which `key` leaves the compressed path above this node: where
    /// bytes differ, or where the key ends. Returns `depth` if it does not leave the path.
    @inline(__always)
    func divergence(_ key: Bytes, from: Int, base: UnsafeMutableRawPointer) -> Int {
        let depth = depth
        guard depth &- from <= 4, depth >= 4, key.count >= depth else {
            return unsafe slowDivergence(key, from: from, base: base)
        }
        // The tail's last (depth − from) bytes. Shifting the others out keeps positions counted from depth − 4.
        let skipped = UInt32(truncatingIfNeeded: 8 &* (4 &- (depth &- from)))
        let different = ((key.u32(at: depth &- 4) ^ tail) &>> skipped) &<< skipped
        return depth &- 4 &+ (different.trailingZeroBitCount &>> 3)
    }

    @inline(never)
    private func slowDivergence(_ key: Bytes, from: Int, base: UnsafeMutableRawPointer) -> Int {
        let path = unsafe pathKey(base)
        return path.firstDifference(key, from: from, limit: min(depth, key.count))
    }

    /// Returns a key that begins with the `depth` bytes of the path to this node.
    @inline(__always)
    func pathKey(_ base: UnsafeMutableRawPointer) -> Bytes {
        unsafe StoredEntry(at: base + Int(representative) &* Arena.unit).key
    }

    /// Returns byte `position` of the path, with `position` < `depth`.
    @inline(__always)
    func pathByte(_ position: Int, _ base: UnsafeMutableRawPointer) -> UInt8 {
        let back = depth &- position
        if back <= 4 { return UInt8(truncatingIfNeeded: tail &>> UInt32(truncatingIfNeeded: 8 &* (4 &- back))) }
        return unsafe pathKey(base)[position]
    }
}

extension Bytes {
    /// Returns the first position in `from ..< limit` at which the two differ, or `limit`.
    @inline(__always)
    func firstDifference(_ other: Bytes, from: Int, limit: Int) -> Int {
        var position = from
        while position &+ 8 <= limit {
            let different = u64(at: position) ^ other.u64(at: position)
            if different != 0 { return position &+ different.trailingZeroBitCount &>> 3 }
            position &+= 8
        }
        while position < limit, self[position] == other[position] { position &+= 1 }
        return position
    }
}
