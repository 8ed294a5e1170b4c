import ShaleBase

/// Walks a memtable in order, in runs.
///
/// A run is filled in three passes: collect references from the tree, then touch all their entries, then decode them.
/// The second pass is a row of independent loads, so that the cache misses of a run overlap instead of following each
/// other. Once runs are long, which means that somebody walks far, every line of the entries is touched, not only the
/// first, and so are the children of each node that is entered.
///
/// It sees every entry that was inserted before it was positioned. Of those inserted since it sees some: nodes that it
/// stands in may have been replaced, and then it finishes the old ones. Either way entries come in strict order, because
/// a node and its replacements cover the same range of keys, and whole, because an entry is immutable once linked.
@safe
struct MemtableWalk: ~Copyable {
    /// Where the next entries go.
    @safe
    struct Run {
        let start: UnsafeMutablePointer<Entry>
        let length: Int
        let headOffset: Int
    }

    private let tree: RadixTree
    private var isBackward = false
    private var stack = CursorStack()
    /// Newest entries of the next keys, in order: found in the tree, not delivered yet.
    private let pending: UnsafeMutablePointer<UInt32>
    private var pendingIndex = 0
    private var pendingCount = 0
    /// Forward: the next older version of the current key, 0 = none.
    private var older: UInt32 = 0
    /// Backward: the versions of the current key not delivered yet, newest first; delivered from the end.
    private var versions: [UInt32] = []
    /// A sum of what was touched, because a load whose result goes nowhere is left out by the compiler.
    private var touched: UInt8 = 0

    /// - Parameter tree: kept alive by the caller.
    init(_ tree: RadixTree) {
        self.tree = tree
        unsafe pending = .allocate(capacity: EntryCursor.runCapacity)
    }

    deinit { unsafe pending.deallocate() }

    // MARK: - Seek

    /// See ``EntryCursor/seek(_:_:)``.
    mutating func position(_ key: Bytes?, isBackward: Bool) {
        self.isBackward = isBackward
        stack.removeAll()
        versions.removeAll(keepingCapacity: true)
        (pendingIndex, pendingCount, older) = (0, 0, 0)
        if let key { descend(to: key) } else { visit(tree.root) }
    }

    /// Takes a whole subtree.
    private mutating func visit(_ reference: NodeReference) {
        if reference.isNone { return }
        if reference.isEntry {
            unsafe pending[pendingCount] = reference.offset
            pendingCount += 1
        } else {
            stack.push(tree.node(reference), isBackward: isBackward)
        }
    }

    /// Cuts the tree at `key`: everything on the near side of it is left out.
    private mutating func descend(to key: Bytes) {
        var reference = tree.root
        var position = 0
        while !reference.isNone {
            if reference.isEntry {
                let isBelow = tree.entry(reference).key < key
                if isBelow == isBackward { visit(reference) }
                return
            }
            let node = tree.node(reference)
            let depth = node.depth
            let difference = position == depth ? depth : unsafe node.divergence(key, from: position, base: tree.base)
            if difference < depth || depth == key.count {
                // All keys of the subtree are on one side: below where the path's byte is smaller, and not below where
                // it is larger or the key ends.
                let isBelow = unsafe difference < key.count && node.pathByte(difference, tree.base) < key[difference]
                if isBelow == isBackward { visit(reference) }
                return
            }
            // The key that ends here is below `key`: going forward the walk starts behind it.
            stack.push(node, beside: key[depth], isBackward: isBackward)
            reference = node.child(key[depth])
            position = depth + 1
        }
    }

    // MARK: - Fill

    /// Puts the next entries, at least one unless at the end, into `run`. Returns how many.
    mutating func fill(_ run: Run) -> Int {
        if pendingIndex == pendingCount && older == 0 && versions.isEmpty { collect(run.length) }
        let hasVersions = touch(isLong: run.length == EntryCursor.runCapacity)
        let hasSingleVersions = older == 0 && versions.isEmpty && !hasVersions
        if hasSingleVersions && pendingCount - pendingIndex <= run.length { return deliverPending(run) }
        var count = 0
        while count < run.length {
            guard let offset = isBackward ? nextBackward() : nextForward() else { break }
            unsafe deliver(offset, to: run.start + count, run.headOffset)
            count += 1
        }
        return count
    }

    /// The next version to deliver, the newest of a key first.
    private mutating func nextForward() -> UInt32? {
        var offset = older
        if offset == 0 {
            guard let newest = nextPending() else { return nil }
            offset = newest
        }
        older = tree.entry(.entry(offset)).older
        return offset
    }

    /// The next version to deliver, the oldest of a key first. Takes memory for the versions of one key.
    private mutating func nextBackward() -> UInt32? {
        if let offset = versions.popLast() { return offset }
        guard var offset = nextPending() else { return nil }
        while tree.entry(.entry(offset)).older != 0 {
            versions.append(offset)
            offset = tree.entry(.entry(offset)).older
        }
        return offset
    }

    private mutating func nextPending() -> UInt32? {
        guard pendingIndex < pendingCount else { return nil }
        defer { pendingIndex += 1 }
        return unsafe pending[pendingIndex]
    }

    /// Loads a word of every pending entry, and of all its lines if the run is long. Returns whether any has an older
    /// version.
    private mutating func touch(isLong: Bool) -> Bool {
        var links: UInt32 = 0
        var sum: UInt8 = 0
        for index in pendingIndex..<pendingCount {
            let entry = tree.entry(.entry(unsafe pending[index]))
            links |= entry.older
            if isLong { sum &+= entry.touch() }
        }
        touched &+= sum
        return links != 0
    }

    /// Loads a word of every node below the one that was entered last.
    @inline(__always)
    private mutating func touchChildren() {
        let limit = unsafe stack.top.pointee.limit
        if limit == CursorStack.Frame.large { return }
        var sum: UInt8 = 0
        for rank in 0..<limit {
            let child = stack.sortedChild(rank)
            if !child.isEntry { sum &+= tree.node(child).kind }
        }
        touched &+= sum
    }

    private mutating func deliverPending(_ run: Run) -> Int {
        let first = pendingIndex
        let count = pendingCount - first
        for index in 0..<count {
            unsafe deliver(pending[first + index], to: run.start + index, run.headOffset)
        }
        pendingIndex = pendingCount
        return count
    }

    @inline(__always)
    private func deliver(_ offset: UInt32, to place: UnsafeMutablePointer<Entry>, _ headOffset: Int) {
        unsafe place.initialize(to: tree.entry(.entry(offset)).entry(headOffset: headOffset))
    }

    // MARK: - Walk

    /// Refills `pending` with the next `length` keys' newest entries, fewer at the end of the tree.
    private mutating func collect(_ length: Int) {
        pendingIndex = 0
        let isLong = length == EntryCursor.runCapacity
        var count = 0
        while count < length && stack.count > 0 {
            let next = isBackward ? stepBackward() : stepForward()
            if next.isNone { continue }
            if next.isEntry {
                unsafe pending[count] = next.offset
                count += 1
            } else {
                stack.push(tree.node(next), isBackward: isBackward)
                if isLong { touchChildren() }
            }
        }
        pendingCount = count
    }

    /// The innermost frame's next child; leaves the frame when there is none.
    @inline(__always)
    private mutating func stepForward() -> NodeReference {
        let frame = unsafe stack.top
        if unsafe frame.pointee.limit == CursorStack.Frame.unsorted { stack.sortTop(isBackward: false) }
        let node = unsafe frame.pointee.node
        let limit = unsafe frame.pointee.limit
        var next = unsafe frame.pointee.next
        if next < 0 {
            unsafe frame.pointee.next = 0
            return node.slot(Node.endOffset)
        }
        if limit != CursorStack.Frame.large {
            if next < limit {
                unsafe frame.pointee.next = next &+ 1
                return stack.sortedChild(next)
            }
        } else {
            while next < limit {
                let child = node.largeChild(Int(next))
                next &+= 1
                if child.isNone { continue }
                unsafe frame.pointee.next = next
                return child
            }
        }
        stack.pop()
        return .none
    }

    @inline(__always)
    private mutating func stepBackward() -> NodeReference {
        let frame = unsafe stack.top
        if unsafe frame.pointee.limit == CursorStack.Frame.unsorted { stack.sortTop(isBackward: true) }
        let node = unsafe frame.pointee.node
        let isSorted = unsafe frame.pointee.limit != CursorStack.Frame.large
        var next = unsafe frame.pointee.next
        while next >= 0 {
            let child = isSorted ? stack.sortedChild(next) : node.largeChild(Int(next))
            next &-= 1
            if child.isNone { continue }
            unsafe frame.pointee.next = next
            return child
        }
        // Going backward the key that ends at the node comes last, after all keys it is a prefix of.
        let end = node.slot(Node.endOffset)
        stack.pop()
        return end
    }
}
