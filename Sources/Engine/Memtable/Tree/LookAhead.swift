package import ShaleBase

/// Loads the memory that the next inserts will access, for all of them in parallel.
///
/// The path of one key down the tree is a chain of dependent cache misses. They are most of the cost of an insert into
/// a large memtable. The paths of a batch's keys are independent, so here they advance one step each in rotation, and
/// their misses overlap. No result is kept: the following inserts walk by themselves, whatever they change for each
/// other, and find everything in the processor's cache.
///
/// Each thread uses one of its own: the memtable's writer for inserts, and readers for lookups of several keys.
@safe
struct LookAhead {
    /// The number of keys that advance together. The processor has no more misses than this in flight.
    static var width: Int { 16 }

    /// The size from which a memtable is not in the processor's cache anyway.
    static var usefulBytes: Int { 1 << 20 }

    @safe private struct Lane {
        var reference: NodeReference
        var namespace: NamespaceID
        var userKey: Bytes
        /// The slot of the child below `reference`.
        var slot: UnsafeMutableRawPointer
    }

    private let lanes: UnsafeMutablePointer<Lane>
    /// A sum of the loaded bytes, because the compiler omits a load whose result is unused.
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

    /// Sets the operation of `index`, below ``width``, for the next ``walk(_:_:)``.
    @inline(__always)
    func set(_ index: Int, _ operation: BatchOperation, _ tree: RadixTree) {
        set(index, operation.namespace, operation.userKey, tree)
    }

    /// Sets the key of `index`. The caller keeps its memory until the end of the walk.
    @inline(__always)
    func set(_ index: Int, _ namespace: NamespaceID, _ userKey: Bytes, _ tree: RadixTree) {
        unsafe (lanes + index).initialize(
            to: Lane(reference: tree.root, namespace: namespace, userKey: userKey, slot: tree.base))
    }

    /// Advances the first `count` keys until each has reached its entry, or the position where it will be. With
    /// `readsValues` the values of the entries are loaded too.
    func walk(_ tree: RadixTree, _ count: Int, readsValues: Bool = false) {
        let root = tree.root
        if root.isNone || root.isEntry { return }
        var live = count
        while live > 0 { live = enterChildren(tree, findSlots(tree, live), readsValues) }
    }

    /// Finds the slot through which each of the first `count` lanes continues. Returns the number of lanes that do.
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

    /// Advances each of the first `count` lanes to its next node and loads the node's first cache line. Returns the
    /// number of lanes with a node.
    private func enterChildren(_ tree: RadixTree, _ count: Int, _ readsValues: Bool) -> Int {
        var kept = 0
        var loaded: UInt8 = 0
        for index in 0..<count {
            let reference = NodeReference(rawValue: unsafe SharedMemory.acquire32(lanes[index].slot))
            if reference.isNone { continue }
            if reference.isEntry {
                let entry = tree.entry(reference)
                // A reader stays inside the entry: what follows it may be written meanwhile.
                loaded &+= readsValues ? entry.touch() : entry.touchKey()
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

    /// Returns byte `depth` of the encoded key.
    @inline(__always)
    private static func byte(_ depth: Int, _ namespace: NamespaceID, _ userKey: Bytes) -> UInt8 {
        if depth >= EncodedKey.namespaceWidth { return userKey[depth &- EncodedKey.namespaceWidth] }
        return UInt8(truncatingIfNeeded: namespace.rawValue &>> UInt32(24 &- 8 &* depth))
    }
}

extension Memtable {
    /// The number of keys that a call of ``lookAhead(_:from:ends:in:)`` takes.
    package static var lookAheadMax: Int { LookAhead.width }

    /// Loads the memory that ``get(_:through:)`` will access for some keys of a namespace, for all of them in parallel.
    /// Does nothing for a small memtable.
    ///
    /// - Parameters:
    ///   - keys: The user keys, one behind the other.
    ///   - start: The beginning of the first key in `keys`.
    ///   - ends: The ends of the keys in `keys`, at most ``lookAheadMax``.
    package func lookAhead(_ keys: Bytes, from start: Int, ends: ArraySlice<Int>, in namespace: NamespaceID) {
        guard allocatedBytes > LookAhead.usefulBytes, ends.count > 1 else { return }
        let ahead = LookAhead()
        defer { ahead.free() }
        let count = min(ends.count, LookAhead.width)
        var start = start
        for index in 0..<count {
            let end = ends[ends.startIndex &+ index]
            ahead.set(index, namespace, keys.slice(start, end &- start), tree)
            start = end
        }
        ahead.walk(tree, count, readsValues: true)
    }
}
