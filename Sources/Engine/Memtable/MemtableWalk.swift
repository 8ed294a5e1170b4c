import ShaleBase

/// Walks a memtable in order, in runs.
///
/// A run is filled in three passes: collect references from the tree, touch all their entries, decode them. The second
/// pass is a sequence of independent loads, so that the cache misses of a run overlap. Long runs mean that the reader
/// walks far. Then every cache line of the entries is touched, not only the first, and so are the children of each node
/// that is entered.
///
/// The walk sees every entry that was inserted before it was positioned, and some of the later ones. Nodes on its path
/// may have been replaced; then it finishes the old ones. Two properties hold in any case:
///
/// 1. Entries come in strict order, because a node and its replacements cover the same range of keys.
/// 2. Entries are whole, because an entry is immutable once linked.
@safe
struct MemtableWalk: ~Copyable {
    /// The destination of the next entries.
    @safe
    struct Run {
        let start: UnsafeMutablePointer<Entry>
        let length: Int
        let headOffset: Int
    }

    private let tree: RadixTree
    private var isBackward = false
    private var stack = CursorStack()
    /// The newest entries of the next keys, in order: found in the tree, not returned yet.
    private let pending: UnsafeMutablePointer<UInt32>
    private var pendingIndex = 0
    private var pendingCount = 0
    /// Forward: the next older version of the current key, 0 = none.
    private var older: UInt32 = 0
    /// Backward: the versions of the current key that were not returned yet, newest first; returned from the end.
    private var versions: [UInt32] = []
    /// A sum of the touched bytes, because the compiler omits a load whose result is unused.
    private var touched: UInt8 = 0

    /// Creates a walk.
    ///
    /// - Parameter tree: Kept alive by the caller.
    init(_ tree: RadixTree) {
        self.tree = tree
        unsafe pending = .allocate(capacity: EntryCursor.runCapacity)
    }

    deinit { unsafe pending.deallocate() }

    // MARK: - Seek

    /// Positions the walk: see ``EntryCursor/seek(_:_:)``.
    mutating func position(_ key: Bytes?, isBackward: Bool) {
        self.isBackward = isBackward
        stack.removeAll()
        versions.removeAll(keepingCapacity: true)
        (pendingIndex, pendingCount, older) = (0, 0, 0)
        if let key { descend(to: key) } else { visit(tree.root) }
    }

    /// Adds a whole subtree to the walk.
    private mutating func visit(_ reference: NodeReference) {
        if reference.isNone { return }
        if reference.isEntry {
            unsafe pending[pendingCount] = reference.offset
            pendingCount += 1
        } else {
            stack.push(tree.node(reference), isBackward: isBackward)
        }
    }

    /// Cuts the tree at `key`: the walk skips everything before it, in its direction.
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
                // All keys of the subtree are on one side of `key`. They are below if the path's byte is smaller, and
                // not below if it is larger or the key ends.
                let isBelow = unsafe difference < key.count && node.pathByte(difference, tree.base) < key[difference]
                if isBelow == isBackward { visit(reference) }
                return
            }
            // The key that ends here is below `key`, so a forward walk starts after it.
            stack.push(node, beside: key[depth], isBackward: isBackward)
            reference = node.child(key[depth])
            position = depth + 1
        }
    }

    // MARK: - Fill

    /// Stores the next entries in `run`, at least one unless at the end. Returns their number.
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

    /// Returns the next version, the newest of a key first.
    private mutating func nextForward() -> UInt32? {
        var offset = older
        if offset == 0 {
            guard let newest = nextPending() else { return nil }
            offset = newest
        }
        older = tree.entry(.entry(offset)).older
        return offset
    }

    /// Returns the next version, the oldest of a key first. Takes memory for the versions of one key.
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

    /// Loads a word of every pending entry, and of all its cache lines if the run is long. Returns true if any has an
    /// older version.
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

    /// Loads a word of every child of the node that was entered last.
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

    /// Refills `pending` with the newest entries of the next `length` keys; fewer at the end of the tree.
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

    /// Returns the innermost frame's next child. If there is none, leaves the frame.
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
        // Backward, the key that ends at the node comes last, after all keys that it is a prefix of.
        let end = node.slot(Node.endOffset)
        stack.pop()
        return end
    }
}

/// Feeds a cursor from a memtable, which it keeps alive.
final class MemtableSource: EntrySource {
    private let memtable: Memtable
    /// One struct, so that a call checks for exclusive access once and not at every step.
    @exclusivity(unchecked)
    private var walk: MemtableWalk

    init(_ memtable: Memtable) {
        self.memtable = memtable
        unsafe walk = MemtableWalk(memtable.tree)
    }

    func position(_ key: Bytes?, for cursor: EntryCursor) {
        unsafe walk.position(key, isBackward: cursor.direction == .backward)
    }

    func fillRun(of cursor: EntryCursor) {
        let run = unsafe MemtableWalk.Run(
            start: cursor.run, length: cursor.nextRunLength(), headOffset: cursor.headOffset)
        cursor.runCount = unsafe walk.fill(run)
    }

    func releaseBuffers() {}
}
