package import ShaleBase
package import ShaleSegment

/// Applies edits to lists of segments and checks the invariants of a ``Version`` as it goes.
package struct VersionBuilder {
    private var levels: [[Segment]]
    private let makeSegment: (SegmentMetadata) -> Segment

    package init(_ base: Version, makeSegment: @escaping (SegmentMetadata) -> Segment) {
        levels = base.levels.map(\.segments)
        self.makeSegment = makeSegment
    }

    package mutating func apply(_ fact: ManifestEdit.Fact) throws(ParseFailure) {
        switch fact {
        case .segmentAdded(let level, let metadata):
            guard !levels.contains(where: { $0.contains { $0.number == metadata.number } }) else {
                throw ParseFailure("segment \(metadata.number) is added twice")
            }
            levels[level].append(makeSegment(metadata))
        case .segmentRemoved(let number, let level): _ = try remove(number, level)
        case .segmentMoved(let number, let from, let to): levels[to].append(try remove(number, from))
        default: break
        }
    }

    private mutating func remove(_ number: UInt64, _ level: Int) throws(ParseFailure) -> Segment {
        guard let index = levels[level].firstIndex(where: { $0.number == number }) else {
            throw ParseFailure("segment \(number) is not in level \(level)")
        }
        return levels[level].remove(at: index)
    }

    package consuming func build() throws(ParseFailure) -> Version {
        // Flushes hold disjoint ranges of sequences, and a rewrite keeps a subset: newest first is well defined.
        levels[0].sort {
            PlantedBug.isActive(.swapL0Order)
                != (($0.metadata.maxSequence, $0.number) > ($1.metadata.maxSequence, $1.number))
        }
        for level in 1..<levels.count {
            levels[level].sort { $0.smallestKey < $1.smallestKey }
            for (a, b) in zip(levels[level], levels[level].dropFirst()) where b.smallestKey <= a.largestKey {
                throw ParseFailure("segments \(a.number) and \(b.number) overlap in level \(level)")
            }
        }
        try checkTotals()
        return Version(levels: levels)
    }

    /// Pickers and statistics add up what segments say of themselves.
    private func checkTotals() throws(ParseFailure) {
        var stored: UInt64 = 0
        var data: UInt64 = 0
        var entries: UInt64 = 0
        for segment in levels.joined() {
            stored += segment.metadata.fileBytes
            data += segment.metadata.dataBytes
            entries += segment.metadata.entryCount
            guard max(stored, data, entries) <= FormatLimits.storeTotal else {
                throw ParseFailure("the segments are larger than a store")
            }
        }
    }
}
