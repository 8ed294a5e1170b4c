/// The direction in which a cursor delivers entries.
@frozen
@usableFromInline
package enum Direction: Sendable {
    case forward
    case backward
}

/// Where an ``EntryCursor`` gets its entries from: a memtable's tree, a segment's blocks, a whole level.
///
/// One source belongs to one cursor, and keeps alive everything that the run's entries point to until the next call.
package protocol EntrySource: AnyObject {
    /// Moves to the place described by ``EntryCursor/seek(_:_:)`` in the cursor's direction, without filling. What lies there
    /// is better read by the steps that follow. `key` is lent until the next fill.
    func position(_ key: Bytes?, for cursor: EntryCursor) throws(StorageError)

    /// Does a part of what the fill after `position` would do first, and asks for the memory that the next part reads without
    /// waiting for it. The seek of a merge lets all sources take each step before any takes the next: their cache misses
    /// overlap instead of following each other. Optional.
    func approach(_ step: Approach) throws(StorageError)

    /// Puts the next entries, at least one unless at the end, into the cursor's run and sets its
    /// ``EntryCursor/runCount``. A source at its end stays there.
    func fillRun(of cursor: EntryCursor) throws(StorageError)

    /// Lets go of what runs point to and of large memory, until it is positioned again. Small memory is kept for then.
    func rest()
}

extension EntrySource {
    package func approach(_ step: Approach) throws(StorageError) {}
}

/// The steps from a source's position to its first run.
@frozen
package enum Approach: Sendable {
    /// Makes sure that what lies there stays.
    case hold
    /// Finds the first entry in it.
    case search
}

/// Entries in order, delivered in runs.
///
/// The one virtual call of the merge is `fillRun`, once per run of up to ``runCapacity`` entries: whatever the source
/// is, the merge only ever steps through plain arrays. Short first runs keep seeks cheap, later ones grow
/// (``nextRunLength()``).
///
/// Not thread-safe: one cursor, one thread. (It owns a source and is no base class, because a class can be subclassed
/// in another module only if it is public.)
@safe
@usableFromInline
package final class EntryCursor {
    package static let runCapacity = 32

    /// In raw memory, so that the many small accesses from all layers are not checked for exclusivity.
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

    /// The run: filled by the source from index 0, in the cursor's direction.
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

    /// Entries in the run; 0 = the cursor is at its end.
    @inlinable @inline(__always)
    package var runCount: Int {
        get { unsafe state.pointee.runCount }
        set { unsafe state.pointee.runCount = newValue }
    }

    @inlinable @inline(__always)
    package var direction: Direction { unsafe state.pointee.direction }

    /// How many leading key bytes all keys of the merge share: entries carry the head of the bytes behind them.
    @inlinable @inline(__always)
    package var headOffset: Int { unsafe state.pointee.headOffset }

    /// The key that forward runs stay below, or that backward runs do not go below; lent by ``setBounds(headOffset:limit:)``.
    @inlinable @inline(__always)
    package var limit: Bytes? { unsafe state.pointee.limit }

    /// Stands on the first entry with key ≥ `key` (forward), or on the last one with key < `key` (backward). `nil` is
    /// the first entry of all (forward), or the last (backward). Leaves the first run filled.
    package func seek(_ key: Bytes?, _ direction: Direction) throws(StorageError) {
        try position(key, direction)
        try fill()
    }

    /// The first half of ``seek(_:_:)``: a `fill` completes it, before the end of which `key` does not change.
    package func position(_ key: Bytes?, _ direction: Direction) throws(StorageError) {
        unsafe state.pointee.direction = direction
        unsafe state.pointee.nextLength = 1
        unsafe state.pointee.hasReachedLimit = false
        runCount = 0
        try source.position(key, for: self)
    }

    /// See ``EntrySource/approach(_:)``.
    func approach(_ step: Approach) throws(StorageError) { try source.approach(step) }

    /// The key that forward runs stay below, and the one that backward runs do not go below. Keys that do not share the first
    /// `headOffset` bytes have to be cut off so, because their heads would sort wrongly. Set before `seek`; the caller
    /// keeps the key's memory until the next call, or until the cursor is not used any more.
    package func setBounds(headOffset: Int, limit: Bytes?) {
        unsafe state.pointee.headOffset = headOffset
        unsafe state.pointee.limit = limit
    }

    /// Gives up the run and what it points to. The cursor is at its end until the next `seek`.
    package func rest() {
        runCount = 0
        source.rest()
    }

    /// Replaces the run by the next entries; empty at the end, where it stays.
    package func fill() throws(StorageError) {
        guard unsafe !state.pointee.hasReachedLimit else {
            runCount = 0
            return
        }
        try source.fillRun(of: self)
        if let limit, runCount > 0 { clip(limit) }
    }

    /// Runs are in order, so a run whose last entry is inside the limit is inside as a whole.
    private func clip(_ limit: Bytes) {
        while runCount > 0 {
            let key = unsafe run[runCount - 1].key
            let isInside = direction == .forward ? key < limit : limit <= key
            if isInside { return }
            runCount -= 1
            unsafe state.pointee.hasReachedLimit = true
        }
    }

    /// How long the next run should be: 1, 4, 8, 16, then the capacity. Of most sources a short scan takes one entry, and of
    /// the others few.
    package func nextRunLength() -> Int {
        let length = unsafe state.pointee.nextLength
        unsafe state.pointee.nextLength = length == 1 ? 4 : min(length &* 2, EntryCursor.runCapacity)
        return length
    }
}
