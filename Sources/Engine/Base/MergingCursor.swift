/// A k-way merge of entry cursors.
///
/// One source, the winner, stands outside a binary heap of the others. A step advances the winner within its run and
/// compares it with the heap's top. While one source stays ahead, as in most scans, a step costs one comparison of two
/// heads. Heads have 63 bits, so most comparisons read no key.
///
/// Not thread-safe. The current entry is borrowed until the next step.
///
/// - Complexity: O(1) per step while one source stays ahead, O(log k) otherwise.
@safe
@usableFromInline
package final class MergingCursor {
    /// A source's position in its run. Kept in raw memory, so that a step touches neither reference counts nor
    /// exclusivity checks; `cursors` keeps the objects alive.
    @unsafe
    @usableFromInline
    struct Slot {
        @usableFromInline var current: UnsafeMutablePointer<Entry>
        @usableFromInline var end: UnsafeMutablePointer<Entry>
        @usableFromInline var index: Int
    }

    @unsafe
    @usableFromInline
    struct State {
        @usableFromInline var winner: Slot
        @usableFromInline var heap: UnsafeMutablePointer<Slot>
        @usableFromInline var isEnded: Bool
        @usableFromInline var heapCount: Int
        @usableFromInline var isBackward: Bool
        /// The source whose last refill returned nothing, until ``takeEmptied()`` takes it; -1 if there is none.
        @usableFromInline var emptied: Int
    }

    private var cursors: [EntryCursor]
    /// The same cursors without reference counts: `cursors` keeps the objects alive.
    private var unretained: UnsafeMutableBufferPointer<Unmanaged<EntryCursor>>
    @usableFromInline let state: UnsafeMutablePointer<State>

    package init(_ cursors: [EntryCursor]) {
        self.cursors = cursors
        unsafe unretained = MergingCursor.unretained(cursors)
        unsafe state = UnsafeMutablePointer<State>.allocate(capacity: 1)
        let nothing = unsafe UnsafeMutablePointer<Entry>(bitPattern: 64).unsafelyUnwrapped
        unsafe state.initialize(
            to: State(
                winner: Slot(current: nothing, end: nothing, index: 0),
                heap: UnsafeMutablePointer<Slot>.allocate(capacity: max(1, cursors.count)), isEnded: true, heapCount: 0,
                isBackward: false, emptied: -1))
    }

    deinit {
        unsafe unretained.deallocate()
        unsafe state.pointee.heap.deallocate()
        unsafe state.deallocate()
    }

    private static func unretained(_ cursors: [EntryCursor]) -> UnsafeMutableBufferPointer<Unmanaged<EntryCursor>> {
        let unretained = UnsafeMutableBufferPointer<Unmanaged<EntryCursor>>.allocate(capacity: cursors.count)
        _ = unsafe unretained.initialize(from: cursors.map { unsafe Unmanaged.passUnretained($0) })
        return unsafe unretained
    }

    private var sourceCount: Int { unsafe unretained.count }

    /// Calls `body` with one source, without counting a reference.
    @inline(__always)
    private func with<R>(_ index: Int, _ body: (EntryCursor) throws(StorageError) -> R) throws(StorageError) -> R {
        let result = unsafe unretained[index]._withUnsafeGuaranteedRef { cursor in
            Result { () throws(StorageError) in try body(cursor) }
        }
        return try result.get()
    }

    /// The entry at the cursor's position. Valid only while ``isEnded`` is false.
    @inlinable @inline(__always)
    package var current: Entry {
        assert(unsafe !state.pointee.isEnded)
        return unsafe state.pointee.winner.current.pointee
    }

    /// The address of the current entry, valid until its source's run is replaced.
    @inlinable @inline(__always)
    package var currentAddress: UnsafePointer<Entry> {
        assert(unsafe !state.pointee.isEnded)
        return unsafe UnsafePointer(state.pointee.winner.current)
    }

    /// True if the next step replaces the run that holds the current entry.
    @inlinable @inline(__always)
    package var isAtRunEnd: Bool { unsafe state.pointee.winner.current + 1 == state.pointee.winner.end }

    /// True if the next entry is known to have another key than the current one.
    ///
    /// False also if the answer needs another read.
    @inlinable @inline(__always)
    package var isLastOfKey: Bool {
        if isAtRunEnd { return false }
        let key = unsafe state.pointee.winner.current.pointee.key
        if unsafe key.isSame(as: state.pointee.winner.current[1].key) { return false }
        // Entries of one key are adjacent, so the heap's top answers for all other sources.
        return unsafe state.pointee.heapCount == 0 || !key.isSame(as: state.pointee.heap[0].current.pointee.key)
    }

    @inlinable @inline(__always)
    package var isEnded: Bool { unsafe state.pointee.isEnded }

    /// Replaces the sources. The caller positions the new ones next.
    package func replaceSources(_ fresh: [EntryCursor]) {
        unsafe state.pointee.heap.deallocate()
        unsafe state.pointee.heap = UnsafeMutablePointer<Slot>.allocate(capacity: max(1, fresh.count))
        unsafe unretained.deallocate()
        unsafe unretained = MergingCursor.unretained(fresh)
        cursors = fresh
        rebuild()
    }

    /// Positions all sources; see ``EntryCursor/seek(_:_:)``.
    ///
    /// - Parameter startsLong: True if many entries will be read. Then the cache misses of the first ones overlap too.
    package func seek(_ key: Bytes?, _ direction: Direction, startsLong: Bool = false) throws(StorageError) {
        unsafe state.pointee.isBackward = direction == .backward
        // `isEnded` stays true until all sources are positioned, because one may throw.
        unsafe state.pointee.heapCount = 0
        unsafe state.pointee.isEnded = true
        for index in 0..<sourceCount {
            try with(index) { (cursor) throws(StorageError) in
                try cursor.position(key, direction)
                if startsLong { cursor.startLong() }
            }
        }
        try prepareSeek(.hold)
        try prepareSeek(.search)
        for index in 0..<sourceCount {
            try with(index) { (cursor) throws(StorageError) in try cursor.fill() }
        }
        rebuild()
    }

    private func prepareSeek(_ step: SeekStep) throws(StorageError) {
        for index in 0..<sourceCount {
            try with(index) { (cursor) throws(StorageError) in try cursor.prepareSeek(step) }
        }
    }

    /// Calls ``EntryCursor/releaseBuffers()`` on all sources.
    package func releaseBuffers() {
        for index in 0..<sourceCount { unsafe unretained[index]._withUnsafeGuaranteedRef { $0.releaseBuffers() } }
        rebuild()
    }

    /// See ``EntryCursor/setBounds(headOffset:limit:)``.
    package func setBounds(headOffset: Int, limit: Bytes) {
        for index in 0..<sourceCount {
            unsafe unretained[index]._withUnsafeGuaranteedRef { $0.setBounds(headOffset: headOffset, limit: limit) }
        }
    }

    /// Rebuilds the heap from the sources' runs, after their owner has moved them.
    package func rebuild() {
        unsafe state.pointee.heapCount = 0
        unsafe state.pointee.isEnded = true
        unsafe state.pointee.emptied = -1
        for index in 0..<sourceCount {
            let count = unsafe unretained[index]._withUnsafeGuaranteedRef { $0.runCount }
            if count > 0 { join(index) }
        }
    }

    /// Adds a source that was empty and now has a run.
    package func join(_ index: Int) {
        let slot = unsafe unretained[index]._withUnsafeGuaranteedRef { cursor in
            assert(cursor.runCount > 0)
            return unsafe Slot(current: cursor.run, end: cursor.run + cursor.runCount, index: index)
        }
        if unsafe state.pointee.isEnded {
            unsafe state.pointee.winner = slot
            unsafe state.pointee.isEnded = false
        } else if unsafe isBefore(slot, state.pointee.winner) {
            unsafe push(state.pointee.winner)
            unsafe state.pointee.winner = slot
        } else {
            unsafe push(slot)
        }
    }

    /// Returns the source whose run ended in the last step without a successor, once; `nil` if there is none.
    @inlinable @inline(__always)
    package func takeEmptied() -> Int? {
        let index = unsafe state.pointee.emptied
        guard index >= 0 else { return nil }
        unsafe state.pointee.emptied = -1
        return index
    }

    @inlinable @inline(__always)
    package func next() throws(StorageError) {
        unsafe state.pointee.winner.current += 1
        if unsafe state.pointee.winner.current == state.pointee.winner.end {
            try refill()
            return
        }
        if unsafe state.pointee.heapCount > 0, unsafe isBefore(state.pointee.heap[0], state.pointee.winner) {
            replaceWinner()
        }
    }

    @usableFromInline @inline(never)
    func refill() throws(StorageError) {
        let isFilled = try with(unsafe state.pointee.winner.index) { (cursor) throws(StorageError) in
            try cursor.fill()
            unsafe state.pointee.winner.current = cursor.run
            unsafe state.pointee.winner.end = cursor.run + cursor.runCount
            return cursor.runCount > 0
        }
        if isFilled {
            if unsafe state.pointee.heapCount > 0, unsafe isBefore(state.pointee.heap[0], state.pointee.winner) {
                replaceWinner()
            }
            return
        }
        unsafe state.pointee.emptied = state.pointee.winner.index
        if unsafe state.pointee.heapCount > 0 {
            unsafe state.pointee.winner = state.pointee.heap[0]
            unsafe state.pointee.heapCount -= 1
            if unsafe state.pointee.heapCount > 0 {
                unsafe state.pointee.heap[0] = state.pointee.heap[state.pointee.heapCount]
                siftDown()
            }
        } else {
            unsafe state.pointee.isEnded = true
        }
    }

    @usableFromInline @inline(never)
    func replaceWinner() {
        let loser = unsafe state.pointee.winner
        unsafe state.pointee.winner = state.pointee.heap[0]
        unsafe state.pointee.heap[0] = loser
        siftDown()
    }

    @usableFromInline @inline(__always)
    func isBefore(_ a: Slot, _ b: Slot) -> Bool {
        if unsafe state.pointee.isBackward {
            return unsafe Entry.isBefore(b.current.pointee, a.current.pointee)
        }
        return unsafe Entry.isBefore(a.current.pointee, b.current.pointee)
    }

    private func push(_ slot: Slot) {
        var child = unsafe state.pointee.heapCount
        unsafe state.pointee.heapCount += 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard unsafe isBefore(slot, state.pointee.heap[parent]) else { break }
            unsafe state.pointee.heap[child] = state.pointee.heap[parent]
            child = parent
        }
        unsafe state.pointee.heap[child] = slot
    }

    private func siftDown() {
        let count = unsafe state.pointee.heapCount
        let moved = unsafe state.pointee.heap[0]
        var hole = 0
        while true {
            var child = 2 * hole + 1
            if child >= count { break }
            if child + 1 < count, unsafe isBefore(state.pointee.heap[child + 1], state.pointee.heap[child]) {
                child += 1
            }
            guard unsafe isBefore(state.pointee.heap[child], moved) else { break }
            unsafe state.pointee.heap[hole] = state.pointee.heap[child]
            hole = child
        }
        unsafe state.pointee.heap[hole] = moved
    }
}
