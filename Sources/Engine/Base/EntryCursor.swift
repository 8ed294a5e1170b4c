/// The direction in which a cursor delivers entries.
@frozen
@usableFromInline
package enum Direction: Sendable {
    case forward
    case backward
}

/// The source of an ``EntryCursor``'s entries: a memtable's tree, a segment's blocks, or a whole level.
///
/// A source belongs to one cursor. It keeps everything that the run's entries point to alive until the next call.
package protocol EntrySource: AnyObject {
    /// Moves to the position described by ``EntryCursor/seek(_:_:)`` in the cursor's direction, without filling the
    /// run. The steps that follow read the entries there. `key` is borrowed until the end of the next fill.
    func position(_ key: Bytes?, for cursor: EntryCursor) throws(StorageError)

    /// Performs one step of the work that the fill after `position` would do, and prefetches the memory that the next
    /// step reads.
    ///
    /// The seek of a merge lets all sources take each step before any source takes the next one, so that their cache
    /// misses overlap. Optional.
    func prepareSeek(_ step: SeekStep) throws(StorageError)

    /// Fills the cursor's run with the next entries and sets its ``EntryCursor/runCount``. The run is empty only at the
    /// end, where the source stays.
    func fillRun(of cursor: EntryCursor) throws(StorageError)

    /// Releases what runs point to, and large memory, until the next `position`. Small memory is kept for reuse.
    func releaseBuffers()
}

extension EntrySource {
    package func prepareSeek(_ step: SeekStep) throws(StorageError) {}
}

/// The steps between a source's position and its first run.
@frozen
package enum SeekStep: Sendable {
    /// Loads the block at the position and retains it.
    case hold
    /// Finds the first entry in the retained memory.
    case search
}

/// A cursor over ordered entries, which it delivers in runs.
///
/// `fillRun` is the one virtual call of the merge, once per run of up to ``runCapacity`` entries: the merge steps
/// through plain arrays, whatever the source. Short first runs keep seeks cheap; later runs grow (``nextRunLength()``).
///
/// Not thread-safe: one thread uses a cursor. (It owns a source instead of being a base class, because a class can be
/// subclassed in another module only if it is public.)
@safe
@usableFromInline
package final class EntryCursor {
    package static let runCapacity = 32

    /// Kept in raw memory, so that the many small accesses from all layers skip exclusivity checks.
    @unsafe
    @usableFromInline
    struct State {
        @usableFromInline var runCount = 0
        @usableFromInline var direction = Direction.forward
        @usableFromInline var hasReachedLimit = false
        @usableFromInline var nextLength = 1
        @usableFromInline var headOffset: Int
        @usableFromInline var limit: Bytes?

        init(headOffset: Int) { unsafe self.headOffset = headOffset }
    }

    private let source: any EntrySource
    @usableFromInline let state: UnsafeMutablePointer<State>

    /// The run, which the source fills from index 0 in the cursor's direction.
    @usableFromInline package let run: UnsafeMutablePointer<Entry>

    package init(_ source: any EntrySource, headOffset: Int) {
        self.source = source
        unsafe run = UnsafeMutablePointer<Entry>.allocate(capacity: EntryCursor.runCapacity)
        unsafe state = UnsafeMutablePointer<State>.allocate(capacity: 1)
        unsafe state.initialize(to: State(headOffset: headOffset))
    }

    deinit {
        unsafe run.deallocate()
        unsafe state.deallocate()
    }

    /// The number of entries in the run; 0 if the cursor is at its end.
    @inlinable @inline(__always)
    package var runCount: Int {
        get { unsafe state.pointee.runCount }
        set { unsafe state.pointee.runCount = newValue }
    }

    @inlinable @inline(__always)
    package var direction: Direction { unsafe state.pointee.direction }

    /// The number of leading key bytes that all keys of the merge share. Heads hold the eight bytes after them.
    @inlinable @inline(__always)
    package var headOffset: Int { unsafe state.pointee.headOffset }

    /// The bound of the runs: forward runs stay below it, backward runs do not go below it.
    ///
    /// Borrowed from ``setBounds(headOffset:limit:)``.
    @inlinable @inline(__always)
    package var limit: Bytes? { unsafe state.pointee.limit }

    /// Moves to the first entry with key ≥ `key` (forward) or to the last entry with key < `key` (backward), and fills
    /// the first run.
    ///
    /// A `nil` key means the first entry of all (forward) or the last (backward).
    package func seek(_ key: Bytes?, _ direction: Direction) throws(StorageError) {
        try position(key, direction)
        try fill()
    }

    /// Performs the first half of ``seek(_:_:)``.
    ///
    /// A `fill` completes it; `key` must not change before that has returned.
    package func position(_ key: Bytes?, _ direction: Direction) throws(StorageError) {
        unsafe state.pointee.direction = direction
        unsafe state.pointee.nextLength = 1
        unsafe state.pointee.hasReachedLimit = false
        runCount = 0
        try source.position(key, for: self)
    }

    /// Makes the first run as long as later ones. Call it between `position` and `fill`, if many entries will be read.
    func startLong() { unsafe state.pointee.nextLength = EntryCursor.runCapacity }

    /// See ``EntrySource/prepareSeek(_:)``.
    func prepareSeek(_ step: SeekStep) throws(StorageError) { try source.prepareSeek(step) }

    /// Sets ``headOffset`` and ``limit``; call it before `seek`.
    ///
    /// The limit must exclude all keys that do not share the first `headOffset` bytes, because their heads would sort
    /// wrongly. The caller keeps the limit's memory until the next call, or until the cursor is no longer used.
    package func setBounds(headOffset: Int, limit: Bytes?) {
        unsafe state.pointee.headOffset = headOffset
        unsafe state.pointee.limit = limit
    }

    /// Releases the run and what it points to. The cursor is at its end until the next `seek`.
    package func releaseBuffers() {
        runCount = 0
        source.releaseBuffers()
    }

    /// Replaces the run by the next entries. At the end the run is empty and stays empty.
    package func fill() throws(StorageError) {
        guard unsafe !state.pointee.hasReachedLimit else {
            runCount = 0
            return
        }
        try source.fillRun(of: self)
        if let limit, runCount > 0 { clip(limit) }
    }

    /// Drops entries beyond the limit from the end of the run. Runs are ordered, so if the last entry is inside the
    /// limit, all are.
    private func clip(_ limit: Bytes) {
        while runCount > 0 {
            let key = unsafe run[runCount - 1].key
            let isInside = direction == .forward ? key < limit : limit <= key
            if isInside { return }
            runCount -= 1
            unsafe state.pointee.hasReachedLimit = true
        }
    }

    /// Returns the length of the next run: 1, 4, 8, 16, then the capacity.
    ///
    /// A short scan reads one entry of most sources, and few of the others.
    package func nextRunLength() -> Int {
        let length = unsafe state.pointee.nextLength
        unsafe state.pointee.nextLength = length == 1 ? 4 : min(length &* 2, EntryCursor.runCapacity)
        return length
    }
}
