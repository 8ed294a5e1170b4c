package import ShaleBase
package import ShaleManifest
package import ShaleSegment

/// The segments outside a job that may hold older versions of its keys, which the job's tombstones may hide.
package struct OlderSegments: Sendable {
    /// Overlapping segments: older ones of L0.
    private let loose: [Segment]
    /// The sorted levels below.
    private let levels: [LevelSegments]

    package init(loose: [Segment] = [], levels: [LevelSegments] = []) {
        self.loose = loose
        self.levels = levels.filter { !$0.isEmpty }
    }

    /// Creates the set of all segments in `version`: those older than a memtable.
    package init(all version: Version) {
        self.init(loose: version.levels[0].segments, levels: Array(version.levels[1...]))
    }

    /// Creates the set of all segments below `level`, and `loose`.
    package init(below level: Int, of version: Version, loose: [Segment] = []) {
        self.init(loose: loose, levels: Array(version.levels[(level + 1)...]))
    }

    /// True if one of the segments may hold `key`. O(L0 + levels · log segments).
    package func mayHold(_ key: Bytes) -> Bool { mayHold(key, key) }

    /// True if one of the segments may hold a key in `lower … upper`, both included.
    package func mayHold(_ lower: Bytes, _ upper: Bytes) -> Bool {
        for segment in loose where segment.smallestKey <= upper && lower <= segment.largestKey { return true }
        for level in levels where level.overlaps(lower, upper) { return true }
        return false
    }
}
