/// The direction in which a cursor delivers entries.
package enum Direction: Sendable {
    case forward
    case backward
}

/// Where an ``EntryCursor`` gets its entries from: a memtable's tree, a segment's blocks, a whole level.
///
/// One source belongs to one cursor, and keeps alive everything that the run's entries point to until the next call.
package protocol EntrySource: AnyObject {
    /// Moves to the place described by ``EntryCursor/seek(_:_:)`` in the cursor's direction, without filling.
    func position(_ key: Bytes?, for cursor: EntryCursor) throws(StorageError)

    /// Puts the next entries, at least one unless at the end, into the cursor's run and sets its
    /// ``EntryCursor/runCount``. A source at its end stays there.
    func fillRun(of cursor: EntryCursor) throws(StorageError)
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

    private let source: any EntrySource

    /// The run: filled by the source from index 0, in the cursor's direction.
    @usableFromInline package let run: UnsafeMutablePointer<Entry>

    /// Entries in the run; 0 = the cursor is at its end.
    @usableFromInline package var runCount = 0

    package private(set) var direction = Direction.forward

    /// How many leading key bytes all keys of the merge share: entries carry the head of the bytes behind them.
    package let headOffset: Int

    private var nextLength = 1
    private var limit: OwnedBytes?
    private var hasReachedLimit = false

    package init(_ source: any EntrySource, headOffset: Int) {
        self.source = source
        unsafe run = UnsafeMutablePointer<Entry>.allocate(capacity: EntryCursor.runCapacity)
        self.headOffset = headOffset
    }

    deinit { unsafe run.deallocate() }

    /// Stands on the first entry with key ≥ `key` (forward), or on the last one with key < `key` (backward). `nil` is
    /// the first entry of all (forward), or the last (backward). Leaves the first run filled.
    package func seek(_ key: Bytes?, _ direction: Direction) throws(StorageError) {
        self.direction = direction
        nextLength = 1
        runCount = 0
        hasReachedLimit = false
        try source.position(key, for: self)
        try fill()
    }

    /// The key that forward runs stay below, and the one that backward runs do not go below. Keys that do not share the first
    /// ``headOffset`` bytes have to be cut off so, because their heads would sort wrongly. Set before `seek`.
    package func setLimit(_ key: Bytes?) { limit = key.map { OwnedBytes(copying: $0) } }

    /// Replaces the run by the next entries; empty at the end, where it stays.
    package func fill() throws(StorageError) {
        guard !hasReachedLimit else {
            runCount = 0
            return
        }
        try source.fillRun(of: self)
        if let limit, runCount > 0 { clip(limit.bytes) }
    }

    /// Runs are in order, so a run whose last entry is inside the limit is inside as a whole.
    private func clip(_ limit: Bytes) {
        while runCount > 0 {
            let key = unsafe run[runCount - 1].key
            let isInside = direction == .forward ? key < limit : limit <= key
            if isInside { return }
            runCount -= 1
            hasReachedLimit = true
        }
    }

    /// How long the next run should be: 1, 4, 16, then the capacity.
    package func nextRunLength() -> Int {
        let length = nextLength
        nextLength = min(length * 4, EntryCursor.runCapacity)
        return length
    }
}
