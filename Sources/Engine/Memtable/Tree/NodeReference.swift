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
