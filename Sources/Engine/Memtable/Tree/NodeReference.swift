/// What a slot of the tree holds: nothing, a node, or the newest entry of a key.
///
/// An arena offset in units of eight bytes with the top bit telling entries from nodes, so 2³¹ units = 16 GiB are within
/// reach. Offset 0 belongs to the arena's header and therefore means "nothing".
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

    /// In units of eight bytes from the arena's start.
    @inline(__always)
    var offset: UInt32 { rawValue & ~NodeReference.entryFlag }
}
