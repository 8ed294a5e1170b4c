package import ShaleBase

/// Finds the newest entries of the keys in a range, in no order, and reads as few of them as possible.
///
/// Only nodes and entries on the way to a bound compare bytes. A node inside the range goes onto a stack, and its
/// entries are delivered without being read, so counting keys costs the memory of the nodes alone.
///
/// As a ``MemtableWalk`` it finds every key that was inserted before it began, and some of the later ones. Each key is
/// found once, because each slot is loaded once, and a node and its replacements cover the same range of keys.
struct RangeCount {
    /// A node or an entry whose keys may lie on both sides of a bound.
    private struct Border {
        let reference: NodeReference
        /// The number of leading bytes in which all keys below agree with the bounds that are left.
        let position: Int
        let hasLower: Bool
        let hasUpper: Bool
    }

    /// The keys below a node in relation to a bound.
    private enum Side {
        case below
        case notBelow
        case undecided
    }

    private let tree: RadixTree
    private let lower: Bytes
    private let upper: Bytes
    private var borders: [Border] = []
    /// Nodes and entries inside the range.
    private var inside: [NodeReference] = []

    /// Takes the range of encoded keys from `lower` on and below `upper`. The caller keeps the tree and both bounds.
    init(_ tree: RadixTree, from lower: Bytes, below upper: Bytes) {
        self.tree = tree
        self.lower = lower
        self.upper = upper
    }

    /// Calls `visit` with the newest entry of each key.
    @inline(__always)
    mutating func forEach(_ visit: (NodeReference) -> Void) {
        forEachUntil { (newest) in
            visit(newest)
            return true
        }
    }

    /// Calls `visit` with the newest entry of each key, until it returns false.
    @inline(__always)
    mutating func forEachUntil<Failure: Error>(
        _ visit: (NodeReference) throws(Failure) -> Bool
    ) throws(Failure) {
        guard lower < upper else { return }
        borders.append(Border(reference: tree.root, position: 0, hasLower: true, hasUpper: true))
        while let border = borders.popLast() { enter(border) }
        var goesOn = true
        while goesOn, let reference = inside.popLast() {
            if reference.isEntry {
                goesOn = try visit(reference)
                continue
            }
            let node = tree.node(reference)
            let end = node.slot(Node.endOffset)
            if !end.isNone { goesOn = try visit(end) }
            try node.forEachChild { (_, child) throws(Failure) in
                guard goesOn else { return }
                if child.isEntry { goesOn = try visit(child) } else { push(child) }
            }
        }
    }

    /// Loads the node's first word, so that the cache misses of neighbours overlap. A load that acquires is never
    /// omitted.
    @inline(__always)
    private mutating func push(_ reference: NodeReference) {
        _ = tree.node(reference).childCount
        inside.append(reference)
    }

    /// Divides the keys at and below a border into those inside the range, those outside, and further borders.
    private mutating func enter(_ border: Border) {
        let reference = border.reference
        if reference.isNone { return }
        guard !reference.isEntry else {
            let key = tree.entry(reference).key
            let isOutside = border.hasLower && key < lower || border.hasUpper && upper <= key
            return isOutside ? () : inside.append(reference)
        }
        let node = tree.node(reference)
        var (hasLower, hasUpper) = (border.hasLower, border.hasUpper)
        if hasLower {
            let side = side(of: node, lower, from: border.position)
            if side == .below { return }
            hasLower = side == .undecided
        }
        if hasUpper {
            let side = side(of: node, upper, from: border.position)
            if side == .notBelow { return }
            hasUpper = side == .undecided
        }
        guard hasLower || hasUpper else { return inside.append(reference) }
        enterChildren(of: node, hasLower, hasUpper)
    }

    /// Divides the keys below a node whose path agrees with the bounds that are left.
    private mutating func enterChildren(of node: Node, _ hasLower: Bool, _ hasUpper: Bool) {
        let depth = node.depth
        // The key that ends here is the beginning of each bound that is left, and so below it.
        let end = node.slot(Node.endOffset)
        if !hasLower, !end.isNone { inside.append(end) }
        let first = hasLower ? lower[depth] : .min
        let last = hasUpper ? upper[depth] : .max
        node.forEachChild { (byte, child) in
            guard first <= byte, byte <= last else { return }
            let (isOnLower, isOnUpper) = (hasLower && byte == first, hasUpper && byte == last)
            if isOnLower || isOnUpper {
                borders.append(
                    Border(reference: child, position: depth &+ 1, hasLower: isOnLower, hasUpper: isOnUpper))
            } else {
                inside.append(child)
            }
        }
    }

    /// Compares the path to a node with a bound that it agrees with in the first `position` bytes. Undecided if it
    /// agrees in all of its bytes and the bound is longer.
    private func side(of node: Node, _ bound: Bytes, from position: Int) -> Side {
        let depth = node.depth
        let difference = position == depth ? depth : unsafe node.divergence(bound, from: position, base: tree.base)
        if difference == bound.count { return .notBelow }
        if difference == depth { return .undecided }
        return unsafe node.pathByte(difference, tree.base) < bound[difference] ? .below : .notBelow
    }
}

extension Node {
    /// Calls `body` with each child and its byte, in no order.
    @inline(__always)
    func forEachChild<Failure: Error>(
        _ body: (UInt8, NodeReference) throws(Failure) -> Void
    ) throws(Failure) {
        if isSmall {
            for index in 0..<childCount { try body(smallKeyByte(index), smallSlot(index)) }
            return
        }
        for byte in 0..<256 {
            let child = largeChild(byte)
            if !child.isNone { try body(UInt8(truncatingIfNeeded: byte), child) }
        }
    }
}

extension Memtable {
    /// Returns the number of keys of a namespace in a range whose newest version with a sequence ≤ `limit` satisfies
    /// `isPresent`.
    ///
    /// If all entries of the namespace are plain puts that `limit` includes, and newer than `truncatedThrough`, every
    /// key counts and no entry is read:
    ///
    /// 1. Entries up to `limit` are visible, so they were counted by ``summary(of:)`` before this call.
    /// 2. A later entry that the walk meets was counted before it was published, so ``lastSequence(of:)`` is above
    ///    `limit` afterwards. Then the keys are counted again, with their versions.
    ///
    /// - Parameters:
    ///   - lower: The smallest encoded key of the range.
    ///   - upper: The smallest encoded key above the range.
    ///   - limit: A sequence that was visible before the call.
    ///   - truncatedThrough: The largest sequence that `isPresent` refuses for a plain put.
    /// - Complexity: O(keys), and far less memory for plain puts.
    package func keyCount(
        of namespace: NamespaceID, from lower: Bytes, below upper: Bytes, through limit: SequenceNumber,
        truncatedThrough: SequenceNumber, _ isPresent: (Trailer, _ expiry: Int64) -> Bool
    ) -> Int {
        let summary = summary(of: namespace)
        if summary.deletes == 0, summary.purgeable == 0, summary.expirable == 0, truncatedThrough < firstSequence {
            var keys = RangeCount(tree, from: lower, below: upper)
            var count = 0
            keys.forEach { (_) in count &+= 1 }
            if lastSequence(of: namespace) <= limit { return count }
        }
        var keys = RangeCount(tree, from: lower, below: upper)
        var count = 0
        keys.forEach { (newest) in
            guard let entry = entry(newest, through: limit) else { return }
            if isPresent(entry.trailer, entry.expiry) { count &+= 1 }
        }
        return count
    }

    /// Calls `visit` with the newest version of each key in a range, in no order, until it returns false. Versions with
    /// a sequence above `limit` don't count, nor do keys that have no others.
    ///
    /// - Parameters:
    ///   - lower: The smallest encoded key of the range.
    ///   - upper: The smallest encoded key above the range.
    ///   - limit: A sequence that was visible before the call.
    package func forEachNewest<Failure: Error>(
        from lower: Bytes, below upper: Bytes, through limit: SequenceNumber,
        _ visit: (_ key: Bytes, _ trailer: Trailer, _ expiry: Int64) throws(Failure) -> Bool
    ) throws(Failure) {
        var keys = RangeCount(tree, from: lower, below: upper)
        try keys.forEachUntil { (newest) throws(Failure) in
            guard let entry = entry(newest, through: limit) else { return true }
            return try visit(entry.key, entry.trailer, entry.expiry)
        }
    }

    /// Returns the newest version with a sequence ≤ `limit` of the key whose newest entry is given.
    @inline(__always)
    private func entry(_ newest: NodeReference, through limit: SequenceNumber) -> StoredEntry? {
        let entry = tree.entry(newest)
        if entry.trailer.sequence <= limit { return entry }
        return unsafe VersionChain(base: tree.base).find(from: newest.offset, through: limit)
    }
}
