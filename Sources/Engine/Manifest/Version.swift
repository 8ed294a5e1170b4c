package import ShaleBase
package import ShaleSegment

/// The segments of the tree at one moment. Immutable; an edit creates a new version that shares the segments.
///
/// L0 holds whole flushes, newest first, which may overlap. Each level from L1 on is sorted by key, and its segments do
/// not overlap. All versions of a key in a level are in one segment, and newer versions are never below older ones.
@safe
package final class Version: @unchecked Sendable {
    package let levels: [LevelSegments]
    /// The uses of value files by all segments, by file; empty in a store without large values.
    package let valueUses: [UInt64: ValueUse]

    /// The levels that have segments, unretained, so that lookups count no references. `levels` keeps them alive.
    private let lookups: UnsafeMutablePointer<Unmanaged<LevelSegments>>
    private let lookupCount: Int

    package init(levels: [[Segment]]) {
        self.levels = levels.enumerated().map { LevelSegments(level: $0, segments: $1) }
        valueUses = levels.joined().reduce(into: [:]) { uses, segment in
            for use in segment.metadata.values { uses[use.file, default: use.unused].usedBytes += use.usedBytes }
        }
        let filled = self.levels.filter { !$0.isEmpty }
        lookupCount = filled.count
        unsafe lookups = .allocate(capacity: max(1, filled.count))
        for (i, level) in filled.enumerated() { unsafe (lookups + i).initialize(to: .passUnretained(level)) }
    }

    deinit {
        unsafe lookups.deinitialize(count: lookupCount)
        unsafe lookups.deallocate()
    }

    package static var empty: Version {
        Version(levels: Array(repeating: [], count: FormatLimits.levels))
    }

    /// The uses of value files, in the order of their numbers.
    package var sortedValues: [ValueUse] { valueUses.values.sorted { $0.file < $1.file } }

    package var storedBytes: UInt64 { levels.reduce(0) { $0 + $1.storedBytes } }

    /// Returns the newest version of `key` with sequence ≤ `sequence` in any segment. The caller is pinned in the epoch
    /// domain; the result is valid while the pin lasts. O(L0 + levels) filter probes and usually one block search.
    package func get(
        _ key: Bytes, hash: UInt64, through sequence: SequenceNumber, fillCache: Bool
    ) throws(StorageError) -> FoundEntry? {
        for i in 0..<lookupCount {
            let result = unsafe lookups[i]._withUnsafeGuaranteedRef { level in
                Result { () throws(StorageError) in
                    try level.get(
                        key, hash: hash, through: sequence, fillCache: fillCache, isLast: i == lookupCount &- 1)
                }
            }
            if let found = try result.get() { return found }
        }
        return nil
    }
}

/// One level of a version, with plain copies of the data that lookups need.
@safe
package final class LevelSegments: @unchecked Sendable {
    package let level: Int
    package let segments: [Segment]
    package let storedBytes: UInt64
    package let isEmpty: Bool

    /// Raw copies of `segments`, so that lookups count no references. `segments` keeps them alive.
    private let lookups: UnsafeMutablePointer<Lookup>
    private let count: Int

    @unsafe
    private struct Lookup {
        let smallest: Bytes
        let largest: Bytes
        let segment: Unmanaged<Segment>
    }

    init(level: Int, segments: [Segment]) {
        self.level = level
        self.segments = segments
        storedBytes = segments.reduce(0) { $0 + $1.metadata.fileBytes }
        isEmpty = segments.isEmpty
        count = segments.count
        unsafe lookups = UnsafeMutablePointer<Lookup>.allocate(capacity: max(1, segments.count))
        for (i, segment) in segments.enumerated() {
            unsafe (lookups + i).initialize(
                to: Lookup(
                    smallest: segment.smallestKey, largest: segment.largestKey, segment: .passUnretained(segment)))
        }
    }

    deinit {
        unsafe lookups.deinitialize(count: count)
        unsafe lookups.deallocate()
    }

    /// Returns the newest version of `key` in this level. `isLast` is true if there is no level below.
    func get(
        _ key: Bytes, hash: UInt64, through sequence: SequenceNumber, fillCache: Bool, isLast: Bool
    ) throws(StorageError) -> FoundEntry? {
        if level > 0 {
            let i = firstIndex(endingAtOrAfter: key)
            guard i < count, unsafe lookups[i].smallest <= key else { return nil }
            return try probe(i, key, hash, sequence, fillCache, isLast: isLast)
        }
        for i in 0..<count {
            guard unsafe lookups[i].smallest <= key, unsafe key <= lookups[i].largest else { continue }
            if let found = try probe(i, key, hash, sequence, fillCache, isLast: false) { return found }
        }
        return nil
    }

    @inline(__always)
    private func probe(
        _ i: Int, _ key: Bytes, _ hash: UInt64, _ sequence: SequenceNumber, _ fillCache: Bool, isLast: Bool
    ) throws(StorageError) -> FoundEntry? {
        let result = unsafe lookups[i].segment._withUnsafeGuaranteedRef { segment in
            Result { () throws(StorageError) in
                try segment.get(key, hash: hash, through: sequence, fillCache: fillCache, isLast: isLast)
            }
        }
        return try result.get()
    }

    /// Returns the index of the first segment whose largest key is ≥ `key`, in a sorted level. O(log n).
    package func firstIndex(endingAtOrAfter key: Bytes) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) >> 1
            if unsafe lookups[middle].largest < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// True if a segment of a sorted level may hold a key in `lower … upper`, both included.
    package func overlaps(_ lower: Bytes, _ upper: Bytes) -> Bool {
        let i = firstIndex(endingAtOrAfter: lower)
        guard i < count else { return false }
        return unsafe lookups[i].smallest <= upper
    }

    /// Returns the segments that may hold a key in `lower … upper`, both included.
    package func overlapping(_ lower: Bytes, _ upper: Bytes) -> ArraySlice<Segment> {
        if level == 0 {
            return segments.filter { $0.smallestKey <= upper && lower <= $0.largestKey }[...]
        }
        let first = firstIndex(endingAtOrAfter: lower)
        var end = first
        while end < count, unsafe lookups[end].smallest <= upper { end += 1 }
        return segments[first..<end]
    }
}
