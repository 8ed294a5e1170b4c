package import ShaleBase
package import ShaleSegment

/// Applies edits to lists of segments and checks the invariants of a ``Version``.
///
/// A fact costs O(1). Creating the version costs O(n log n) once, for any number of edits.
package struct VersionBuilder {
    private struct Location {
        let segment: Segment
        let level: Int
    }

    private let base: [[Segment]]
    private let makeSegment: (SegmentMetadata) -> Segment
    /// Every live segment by its number.
    private var live: [UInt64: Location] = [:]
    /// The live segments that `base` does not have in their level, by level.
    private var added: [[UInt64: Segment]]
    /// The numbers of segments that were removed from their level in `base`.
    private var removed: Set<UInt64> = []
    /// The number of segments visited or compared so far. Tests count it instead of time.
    package private(set) var steps = 0

    package init(_ base: Version, makeSegment: @escaping (SegmentMetadata) -> Segment) {
        self.base = base.levels.map(\.segments)
        self.makeSegment = makeSegment
        added = Array(repeating: [:], count: self.base.count)
        live.reserveCapacity(self.base.reduce(0) { $0 + $1.count })
        for (level, segments) in self.base.enumerated() {
            for segment in segments { live[segment.number] = Location(segment: segment, level: level) }
            steps += segments.count
        }
    }

    package mutating func apply(_ fact: ManifestEdit.Fact) throws(ParseFailure) {
        switch fact {
        case .segmentAdded(let level, let metadata):
            guard live[metadata.number] == nil else { throw ParseFailure("segment \(metadata.number) is added twice") }
            add(makeSegment(metadata), level)
        case .segmentRemoved(let number, let level): _ = try remove(number, level)
        case .segmentMoved(let number, let from, let to): add(try remove(number, from), to)
        default: break
        }
    }

    private mutating func add(_ segment: Segment, _ level: Int) {
        steps += 1
        live[segment.number] = Location(segment: segment, level: level)
        added[level][segment.number] = segment
    }

    private mutating func remove(_ number: UInt64, _ level: Int) throws(ParseFailure) -> Segment {
        steps += 1
        guard let location = live[number], location.level == level else {
            throw ParseFailure("segment \(number) is not in level \(level)")
        }
        live[number] = nil
        if added[level].removeValue(forKey: number) == nil { removed.insert(number) }
        return location.segment
    }

    package mutating func build() throws(ParseFailure) -> Version {
        var levels: [[Segment]] = []
        for level in base.indices { levels.append(try segments(of: level)) }
        try checkTotals(levels)
        return Version(levels: levels)
    }

    /// Returns the segments of a level in order. Those of `base` are in order already.
    private mutating func segments(of level: Int) throws(ParseFailure) -> [Segment] {
        var steps = 0
        defer { self.steps += steps }
        // Flushes hold disjoint ranges of sequences, and a rewrite keeps a subset. So "newest first" is well defined.
        func isBefore(_ a: Segment, _ b: Segment) -> Bool {
            steps += 1
            guard level == 0 else { return a.smallestKey < b.smallestKey }
            return PlantedBug.isActive(.swapL0Order)
                != ((a.metadata.maxSequence, a.number) > (b.metadata.maxSequence, b.number))
        }
        let fresh = added[level].values.sorted(by: isBefore)
        var segments = removed.isEmpty ? base[level] : base[level].filter { !removed.contains($0.number) }
        if !fresh.isEmpty { segments = (segments + fresh).sorted(by: isBefore) }
        if level > 0 {
            for (a, b) in zip(segments, segments.dropFirst()) where b.smallestKey <= a.largestKey {
                throw ParseFailure("segments \(a.number) and \(b.number) overlap in level \(level)")
            }
        }
        return segments
    }

    /// Throws if the totals exceed their bounds. Pickers and statistics add up what segments record of themselves.
    private func checkTotals(_ levels: [[Segment]]) throws(ParseFailure) {
        var stored: UInt64 = 0
        var data: UInt64 = 0
        var entries: UInt64 = 0
        for segment in levels.joined() {
            stored += segment.metadata.fileBytes
            data += segment.metadata.dataBytes
            entries += segment.metadata.entryCount
            guard max(stored, data, entries) <= FormatLimits.storeTotal else {
                throw ParseFailure("the segments together are larger than a store can be")
            }
        }
    }
}
