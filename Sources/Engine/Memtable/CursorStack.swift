/// The path from the root to a cursor's position: one frame per node, in raw memory.
///
/// The children of a Node4 or Node16 are copied in key order. Those of larger nodes are read from the node when the
/// cursor gets to them. A seek sorts nothing: its frames record the byte of the path, and are sorted if the walk
/// returns to them. The stack grows with the depth of the tree, at most one frame per key byte.
@safe
struct CursorStack: ~Copyable {
    struct Frame {
        var node: Node
        /// The next child to visit: a rank in a small node, a byte in a large one; -1 = the key that ends at the node.
        /// In an unsorted frame, the byte from which the walk continues.
        var next: Int32
        /// One past the last child. A forward walk ends here, a backward walk below -1.
        var limit: Int32

        static var unsorted: Int32 { -1 }
        static var large: Int32 { 256 }
    }

    private static let fanOutMax = 16

    private var frames: UnsafeMutablePointer<Frame>
    private var children: UnsafeMutablePointer<UInt32>
    private var capacity = 16
    private(set) var count = 0

    init() {
        unsafe frames = .allocate(capacity: capacity)
        unsafe children = .allocate(capacity: capacity * CursorStack.fanOutMax)
    }

    deinit {
        unsafe frames.deallocate()
        unsafe children.deallocate()
    }

    mutating func removeAll() { count = 0 }

    @inline(__always)
    mutating func pop() { count &-= 1 }

    /// The innermost frame. Valid only while ``count`` is not 0, and until the next push.
    @inline(__always)
    var top: UnsafeMutablePointer<Frame> { unsafe frames + (count &- 1) }

    /// Returns child `rank` of the innermost frame's node, which is small.
    @inline(__always)
    func sortedChild(_ rank: Int32) -> NodeReference {
        NodeReference(rawValue: unsafe children[(count &- 1) &* CursorStack.fanOutMax &+ Int(rank)])
    }

    /// Enters a node at its beginning (forward) or end (backward).
    @inline(__always)
    mutating func push(_ node: Node, isBackward: Bool) {
        if count == capacity { grow() }
        var limit = Frame.large
        if node.isSmall {
            limit = unsafe CursorStack.sort(node, beside: 0, into: children + count &* CursorStack.fanOutMax).count
        }
        unsafe (frames + count).initialize(to: Frame(node: node, next: isBackward ? limit &- 1 : -1, limit: limit))
        count &+= 1
    }

    /// Enters a node next to the child under `byte`. The walk continues with the first child after it (forward) or
    /// before it (backward).
    mutating func push(_ node: Node, beside byte: UInt8, isBackward: Bool) {
        if count == capacity { grow() }
        let isSmall = node.isSmall
        let next = isSmall ? Int32(byte) : isBackward ? Int32(byte) &- 1 : Int32(byte) &+ 1
        let limit = isSmall ? Frame.unsorted : Frame.large
        unsafe (frames + count).initialize(to: Frame(node: node, next: next, limit: limit))
        count &+= 1
    }

    /// Sorts the children of the innermost frame, which a seek left unsorted, and sets its position.
    @inline(never)
    func sortTop(isBackward: Bool) {
        let byte = UInt8(truncatingIfNeeded: unsafe top.pointee.next)
        let target = unsafe children + (count &- 1) &* CursorStack.fanOutMax
        let sorted = unsafe CursorStack.sort(top.pointee.node, beside: byte, into: target)
        unsafe top.pointee.next = isBackward ? sorted.below &- 1 : sorted.atOrBelow
        unsafe top.pointee.limit = sorted.count
    }

    /// Copies the children of a small node in key order. Counts those with bytes below `byte`, and those with bytes not
    /// above it.
    ///
    /// It sorts by counting, for each child, those with a smaller byte, so that no branch depends on the keys.
    @inline(__always)
    private static func sort(
        _ node: Node, beside byte: UInt8, into target: UnsafeMutablePointer<UInt32>
    ) -> (count: Int32, below: Int32, atOrBelow: Int32) {
        let childCount = node.childCount
        let isNode4 = node.kind == Node.Kind.node4
        let low = isNode4 ? UInt64(node.keyWord4) : node.keyWord(0)
        let high = isNode4 ? 0 : node.keyWord(1)
        let slots = isNode4 ? Node.slots4 : Node.slots16
        // Bytes 2·k and 2·k + 1 of the keys are lane k of two vectors. The compiler generates vector instructions for
        // subtracting and shifting 16-bit lanes, but not for comparing lanes of bytes.
        let words = SIMD2(low.littleEndian, high.littleEndian)
        let even = unsafe unsafeBitCast(words & Lane.mask, to: SIMD8<Int16>.self)
        let odd = unsafe unsafeBitCast((words &>> Lane.shift) & Lane.mask, to: SIMD8<Int16>.self)
        var evenRanks = SIMD8<Int16>(repeating: 0)
        var oddRanks = SIMD8<Int16>(repeating: 0)
        var below: Int32 = 0
        var atOrBelow: Int32 = 0
        for index in 0..<childCount {
            let key = UInt8(truncatingIfNeeded: (index < 8 ? low : high) &>> UInt64(8 &* (index & 7)))
            // The sign, shifted over the whole lane, is -1 where `key` is smaller than the lane's byte.
            let lanes = SIMD8<Int16>(repeating: Int16(key))
            evenRanks &-= (lanes &- even) &>> 15
            oddRanks &-= (lanes &- odd) &>> 15
            below &+= key < byte ? 1 : 0
            atOrBelow &+= key <= byte ? 1 : 0
        }
        let evenWords = unsafe unsafeBitCast(evenRanks, to: SIMD2<UInt64>.self)
        let oddWords = unsafe unsafeBitCast(oddRanks, to: SIMD2<UInt64>.self)
        let ranks = evenWords | (oddWords &<< Lane.shift)
        let (lowRanks, highRanks) = (ranks.x.littleEndian, ranks.y.littleEndian)
        for index in 0..<childCount {
            let rank = UInt8(truncatingIfNeeded: (index < 8 ? lowRanks : highRanks) &>> UInt64(8 &* (index & 7)))
            unsafe target[Int(rank)] = node.slot(slots &+ 4 &* index).rawValue
        }
        return (Int32(truncatingIfNeeded: childCount), below, atOrBelow)
    }

    private enum Lane {
        @inline(__always) static var mask: SIMD2<UInt64> { SIMD2(repeating: 0x00ff_00ff_00ff_00ff) }
        @inline(__always) static var shift: SIMD2<UInt64> { SIMD2(repeating: 8) }
    }

    @inline(never)
    private mutating func grow() {
        let newFrames = UnsafeMutablePointer<Frame>.allocate(capacity: capacity * 2)
        let newChildren = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity * 2 * CursorStack.fanOutMax)
        unsafe newFrames.update(from: frames, count: count)
        unsafe newChildren.update(from: children, count: count * CursorStack.fanOutMax)
        unsafe frames.deallocate()
        unsafe children.deallocate()
        unsafe frames = newFrames
        unsafe children = newChildren
        capacity *= 2
    }
}
