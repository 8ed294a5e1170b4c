import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShaleSegment

/// A view's entries of one namespace and range, divided for ``KeyCount``: a base of segments without overlaps, counted
/// mostly by statistics, and all other sources.
struct CountSources {
    /// In ascending order and without overlaps, so each key is in at most one of them.
    private(set) var base: [Segment] = []
    /// The other segments.
    private(set) var others: [Segment] = []
    let memtables: [Memtable]

    /// The numbers of entries and blocks in the base.
    let baseEntries: UInt64
    let baseBlocks: UInt64
    /// The number of entries outside of the base.
    let otherEntries: UInt64
    /// The number of deletes among the entries outside of the base.
    let otherDeletes: UInt64

    /// Divides the view. The level with the most entries is in the base as a whole. Any other segment joins the base if
    /// it overlaps no segment there.
    init(_ view: View, _ bounds: borrowing ScanBounds) {
        let namespace = bounds.namespace
        memtables = view.memtables.filter { $0.summary(of: namespace).entries > 0 }
        for group in CountSources.groups(view, bounds) {
            var fitting: [Segment] = []
            for segment in group {
                if CountSources.overlaps(base, segment) { others.append(segment) } else { fitting.append(segment) }
            }
            base = base.isEmpty ? fitting : (base + fitting).sorted { $0.smallestKey < $1.smallestKey }
        }
        baseEntries = CountSources.entries(base, namespace)
        baseBlocks = base.reduce(0) { $0 + UInt64($1.metadata.slice(of: namespace)?.blockCount ?? 0) }
        let summaries = memtables.map { $0.summary(of: namespace) }
        otherEntries = summaries.reduce(CountSources.entries(others, namespace)) { $0 + $1.entries }
        otherDeletes = others.reduce(summaries.reduce(0) { $0 + $1.deletes }) {
            $0 + ($1.metadata.slice(of: namespace)?.deleteCount ?? 0)
        }
    }

    /// Returns the segments that may hold keys of the range, in groups without overlaps: each level, and each segment
    /// of L0. The group with the most entries comes first.
    private static func groups(_ view: View, _ bounds: borrowing ScanBounds) -> [[Segment]] {
        let lower = bounds.lower
        let upper = bounds.upper
        var groups: [[Segment]] = []
        for level in view.version.levels where !level.isEmpty {
            let segments = level.overlapping(lower, upper).filter { segment in
                segment.smallestKey < upper && segment.metadata.slice(of: bounds.namespace) != nil
            }
            if level.level == 0 { groups += segments.map { [$0] } } else { groups.append(segments) }
        }
        let namespace = bounds.namespace
        return groups.map { ($0, entries($0, namespace)) }.sorted { $0.1 > $1.1 }.map(\.0)
    }

    private static func entries(_ segments: [Segment], _ namespace: NamespaceID) -> UInt64 {
        segments.reduce(0) { $0 + ($1.metadata.slice(of: namespace)?.entryCount ?? 0) }
    }

    /// True if a segment of `base`, ascending and without overlaps, may share a key with `segment`.
    private static func overlaps(_ base: [Segment], _ segment: Segment) -> Bool {
        let index = firstIndex(in: base, endingAtOrAfter: segment.smallestKey)
        return index < base.count && base[index].smallestKey <= segment.largestKey
    }

    /// Returns the index of the first of ascending segments whose largest key is ≥ `key`.
    static func firstIndex(in segments: [Segment], endingAtOrAfter key: Bytes) -> Int {
        var low = 0
        var high = segments.count
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].largestKey < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Walks a merge forward and returns each key's newest version up to a sequence, whatever its kind.
struct CountScan: ~Copyable {
    /// As for other scans: the first few blocks use the cache, later ones bypass it.
    static let options = ScanOptions(fillCache: false, readAheadBytes: 256 << 10, cachedBlocks: 8)

    private let merge: MergingCursor
    private let sequence: SequenceNumber
    /// Empty before the first entry. Encoded keys are never empty.
    private var lastKey = ByteBuffer()
    private var isOnEntry = false

    /// Creates a scan. `merge` must be positioned before the first call of ``next()``.
    init(_ merge: MergingCursor, _ sequence: SequenceNumber) {
        self.merge = merge
        self.sequence = sequence
    }

    /// Returns the next key's entry, valid until the next call; `nil` at the end.
    mutating func next() throws(StorageError) -> ShaleBase.Entry? {
        if isOnEntry {
            isOnEntry = false
            try merge.next()
        }
        while !merge.isEnded {
            let entry = merge.current
            if entry.trailer.sequence <= sequence, !entry.key.isSame(as: lastKey.bytes) {
                lastKey.removeAll()
                lastKey.append(entry.key)
                isOnEntry = true
                return entry
            }
            try merge.next()
        }
        return nil
    }
}
