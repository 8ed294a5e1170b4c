import ShaleBase

/// Loads what the next inserts will look at, all of them side by side.
///
/// The way of one key down the tree is a chain of cache misses, each of which tells where the next one is: most of what an
/// insert into a large memtable costs. The ways of the keys of a batch don't depend on each other, so here they take their
/// steps in turn, and their misses overlap. Nothing is kept of it: the inserts that follow walk by themselves, whatever
/// they have changed for each other, and find everything in the processor's cache.
///
/// Belongs to the memtable's writer.
@safe
struct LookAhead {
    /// Keys that walk together. The processor has no more misses than this under way.
    static var width: Int { 16 }

    @safe private struct Lane {
        var reference: NodeReference
        var namespace: NamespaceID
        var userKey: Bytes
        /// Of the child below `reference`.
        var slot: UnsafeMutableRawPointer
    }

    private let lanes: UnsafeMutablePointer<Lane>
    /// A sum of what was loaded, because a load whose result goes nowhere is left out by the compiler.
    private let sum: UnsafeMutablePointer<UInt8>

    init() {
        unsafe lanes = .allocate(capacity: LookAhead.width)
        unsafe sum = .allocate(capacity: 1)
        unsafe sum.initialize(to: 0)
    }

    func free() {
        unsafe lanes.deallocate()
        unsafe sum.deallocate()
    }

    /// Makes `operation` the one of `index`, below ``width``, in the next ``walk(_:_:)``.
    @inline(__always)
    func set(_ index: Int, _ operation: BatchOperation, _ tree: RadixTree) {
        unsafe (lanes + index).initialize(
            to: Lane(
                reference: tree.root, namespace: operation.namespace, userKey: operation.userKey, slot: tree.base))
    }

    /// Walks with the first `count` keys until each has met its entry, or the place where it will be.
    func walk(_ tree: RadixTree, _ count: Int) {
        let root = tree.root
        if root.isNone || root.isEntry { return }
        var live = count
        while live > 0 { live = enterChildren(tree, findSlots(tree, live)) }
    }

    /// Finds the slot that each of the first `count` lanes goes on through; returns how many do.
    private func findSlots(_ tree: RadixTree, _ count: Int) -> Int {
        var kept = 0
        for index in 0..<count {
            let lane = unsafe lanes[index]
            let node = tree.node(lane.reference)
            let depth = node.depth
            guard depth < EncodedKey.namespaceWidth &+ lane.userKey.count else { continue }
            let offset = node.slotOffset(LookAhead.byte(depth, lane.namespace, lane.userKey))
            if offset == 0 { continue }
            unsafe lanes[kept] = lane
            unsafe lanes[kept].slot = node.start + offset
            kept &+= 1
        }
        return kept
    }

    /// Takes each of the first `count` lanes to its next node, whose first line is loaded; returns how many have one.
    private func enterChildren(_ tree: RadixTree, _ count: Int) -> Int {
        var kept = 0
        var loaded: UInt8 = 0
        for index in 0..<count {
            let reference = NodeReference(rawValue: unsafe SharedMemory.acquire32(lanes[index].slot))
            if reference.isNone { continue }
            if reference.isEntry {
                loaded &+= tree.entry(reference).touchKey()
                continue
            }
            loaded &+= tree.node(reference).kind
            unsafe lanes[kept] = lanes[index]
            unsafe lanes[kept].reference = reference
            kept &+= 1
        }
        unsafe sum.pointee &+= loaded
        return kept
    }

    /// Byte `depth` of the encoded key.
    @inline(__always)
    private static func byte(_ depth: Int, _ namespace: NamespaceID, _ userKey: Bytes) -> UInt8 {
        if depth >= EncodedKey.namespaceWidth { return userKey[depth &- EncodedKey.namespaceWidth] }
        return UInt8(truncatingIfNeeded: namespace.rawValue &>> UInt32(24 &- 8 &* depth))
    }
}
