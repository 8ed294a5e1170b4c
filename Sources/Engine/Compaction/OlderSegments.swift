package import ShaleBase
package import ShaleManifest
package import ShaleSegment

/// The segments outside a job that may hold older versions of its keys: what its tombstones may hide.
package struct OlderSegments: Sendable {
    /// Overlapping ones: older L0 segments.
    private let loose: [Segment]
    /// Sorted levels below.
    private let levels: [LevelSegments]

    package init(loose: [Segment] = [], levels: [LevelSegments] = []) {
        self.loose = loose
        self.levels = levels.filter { !$0.isEmpty }
    }

    /// Everything in `version`: what is older than a memtable.
    package init(all version: Version) {
        self.init(loose: version.levels[0].segments, levels: Array(version.levels[1...]))
    }

    /// Everything below `level`.
    package init(below level: Int, of version: Version, loose: [Segment] = []) {
        self.init(loose: loose, levels: Array(version.levels[(level + 1)...]))
    }

    /// Whether one of them may hold `key`. O(L0 + levels · log segments).
    package func mayHold(_ key: Bytes) -> Bool { mayHold(key, key) }

    /// Whether one of them may hold a key in `lower … upper`, both included.
    package func mayHold(_ lower: Bytes, _ upper: Bytes) -> Bool {
        for segment in loose where segment.smallestKey <= upper && lower <= segment.largestKey { return true }
        for level in levels where level.overlaps(lower, upper) { return true }
        return false
    }
}
