import ShaleBase

/// The adaptive radix tree over encoded keys: one writer, any number of readers without locks.
///
/// Keys are arbitrary bytes, and one may be a prefix of another: each node has a slot for the key that ends at it.
/// Lookups skip compressed paths and compare the whole key once, at the entry. The arena frees nothing, so a replaced
/// node stays readable and needs no reclamation.
///
/// A plain address with methods, so that neither reads nor inserts count references. The caller keeps the arena alive.
@safe
struct RadixTree {
    let base: UnsafeMutableRawPointer

    @inline(__always)
    init(base: UnsafeMutableRawPointer) { unsafe self.base = base }

    @inline(__always)
    private var rootSlot: UnsafeMutableRawPointer { unsafe base + Arena.rootOffset }

    @inline(__always)
    var root: NodeReference { NodeReference(rawValue: unsafe SharedMemory.acquire32(rootSlot)) }

    @inline(__always)
    func node(_ reference: NodeReference) -> Node {
        unsafe Node(at: base + Int(reference.offset) &* Arena.unit)
    }

    @inline(__always)
    func entry(_ reference: NodeReference) -> StoredEntry {
        unsafe StoredEntry(at: base + Int(reference.offset) &* Arena.unit)
    }

    // MARK: - Search

    /// Returns the newest entry with exactly this key, or `none`.
    @inline(__always)
    func find(_ key: Bytes) -> NodeReference {
        var reference = root
        while !reference.isEntry {
            if reference.isNone { return .none }
            let node = node(reference)
            let depth = node.depth
            if depth < key.count {
                let offset = node.slotOffset(key[depth])
                if offset == 0 { return .none }
                reference = node.slot(offset)
            } else {
                guard depth == key.count else { return .none }
                reference = node.slot(Node.endOffset)
            }
        }
        return entry(reference).key == key ? reference : .none
    }

    // MARK: - Insert

    /// Links an entry that was just written to the arena. Only the writer calls it.
    func insert(_ fresh: UInt32, in arena: Arena) {
        let key = entry(.entry(fresh)).key
        var slot = unsafe rootSlot
        // The number of the key's bytes that were compared on the way down.
        var position = 0
        while true {
            let reference = NodeReference(rawValue: unsafe SharedMemory.acquire32(slot))
            if reference.isNone {
                unsafe SharedMemory.publish32(slot, NodeReference.entry(fresh).rawValue)
                return
            }
            if reference.isEntry {
                let other = entry(reference).key
                let limit = min(key.count, other.count)
                let difference = key.firstDifference(other, from: position, limit: limit)
                if difference == key.count, difference == other.count {
                    unsafe VersionChain(base: base).push(fresh, onto: reference.offset, in: arena)
                    unsafe SharedMemory.publish32(slot, NodeReference.entry(fresh).rawValue)
                } else {
                    let byte = difference < other.count ? other[difference] : nil
                    unsafe split(slot, reference, byte, at: difference, fresh, key, in: arena)
                }
                return
            }
            let node = node(reference)
            let depth = node.depth
            if position != depth {
                let difference = unsafe node.divergence(key, from: position, base: base)
                guard difference == depth else {
                    let byte = unsafe node.pathByte(difference, base)
                    unsafe split(slot, reference, byte, at: difference, fresh, key, in: arena)
                    return
                }
            }
            position = depth
            if depth == key.count {
                unsafe slot = node.start + Node.endOffset
                continue
            }
            let byte = key[depth]
            let offset = node.slotOffset(byte)
            if offset == 0 {
                unsafe append(fresh, under: byte, to: node, in: slot, arena)
                return
            }
            unsafe slot = node.start + offset
            position &+= 1
        }
    }

    @inline(__always)
    private func append(
        _ fresh: UInt32, under byte: UInt8, to node: Node, in slot: UnsafeMutableRawPointer, _ arena: Arena
    ) {
        if node.append(.entry(fresh), under: byte) { return }
        let (larger, offset) = node.grown(in: arena)
        let isAppended = larger.append(.entry(fresh), under: byte)
        assert(isAppended)
        unsafe SharedMemory.publish32(slot, offset)
    }

    /// Replaces the content of `slot` by a Node4 at depth `difference`, with the old content and the fresh entry below
    /// it.
    ///
    /// - Parameter byte: The byte at `difference` on the path of the old content; `nil` if its key ends there.
    private func split(
        _ slot: UnsafeMutableRawPointer, _ old: NodeReference, _ byte: UInt8?, at difference: Int, _ fresh: UInt32,
        _ key: Bytes, in arena: Arena
    ) {
        let (node, offset) = Node.make(in: arena, depth: difference, key: key, representative: fresh)
        if let byte {
            _ = node.append(old, under: byte)
        } else {
            node.publish(old, at: Node.endOffset)
        }
        if difference < key.count {
            _ = node.append(.entry(fresh), under: key[difference])
        } else {
            node.publish(.entry(fresh), at: Node.endOffset)
        }
        unsafe SharedMemory.publish32(slot, offset)
    }
}

extension RadixTree {
    /// The entry with the smallest key.
    var smallest: StoredEntry? { smallest(below: root) }

    /// The entry with the smallest key below the middle child of the topmost node with several children.
    var middle: StoredEntry? {
        var reference = root
        while !reference.isNone, !reference.isEntry {
            let node = node(reference)
            if node.childTotal > 1 { return smallest(below: node.middleChild) }
            // The other child is the entry that ends at this node.
            reference = node.outermostChild(largest: true)
        }
        return nil
    }

    private func smallest(below top: NodeReference) -> StoredEntry? {
        var reference = top
        while !reference.isEntry {
            if reference.isNone { return nil }
            let node = node(reference)
            let end = node.slot(Node.endOffset)
            reference = end.isNone ? node.outermostChild(largest: false) : end
        }
        return entry(reference)
    }

    /// The entry with the largest key.
    var largest: StoredEntry? {
        var reference = root
        while !reference.isEntry {
            if reference.isNone { return nil }
            reference = node(reference).outermostChild(largest: true)
        }
        return entry(reference)
    }
}

extension Node {
    /// The number of children under bytes.
    fileprivate var childTotal: Int {
        if isSmall { return childCount }
        return (0..<256).count { !largeChild($0).isNone }
    }

    /// The child with as many children before it as after. Requires a node with children.
    fileprivate var middleChild: NodeReference {
        let rank = childTotal / 2
        if isSmall {
            for index in 0..<childCount {
                let before = (0..<childCount).count { smallKeyByte($0) < smallKeyByte(index) }
                if before == rank { return smallSlot(index) }
            }
            return .none
        }
        let present = (0..<256).lazy.map { largeChild($0) }.filter { !$0.isNone }
        return present.dropFirst(rank).first ?? .none
    }

    /// Returns the child under the smallest or largest byte. Every published node has a child.
    fileprivate func outermostChild(largest: Bool) -> NodeReference {
        if isSmall {
            var best = 0
            for index in 1..<max(1, childCount) {
                let isLarger = smallKeyByte(index) > smallKeyByte(best)
                if isLarger == largest { best = index }
            }
            return smallSlot(best)
        }
        for step in 0..<256 {
            let child = largeChild(largest ? 255 - step : step)
            if !child.isNone { return child }
        }
        return .none
    }
}
