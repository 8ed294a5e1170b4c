package import ShaleBase
package import ShaleManifest
package import ShaleSegment

/// A unit of background work on the tree. Its inputs are busy until it ends; no two jobs share an input.
package struct CompactionJob: Sendable {
    package enum Kind: String, Sendable {
        /// Inputs are deleted without being read, because all their entries are dead.
        case drop
        /// Inputs change level without being read.
        case move
        /// Inputs are merged into new segments of the output level.
        case merge
        /// One segment is rewritten in its level, without its dead entries.
        case rewrite
    }

    package struct Input: Sendable {
        package let level: Int
        package let segments: [Segment]

        package init(level: Int, segments: [Segment]) {
            self.level = level
            self.segments = segments
        }
    }

    package let kind: Kind
    package let inputs: [Input]
    package let outputLevel: Int
    /// True if the output level is the last one.
    package let isLast: Bool
    /// Segments outside the job that may hold older versions of its keys. Tombstones that hide these must stay.
    package let older: OlderSegments
    /// Segments of the level below the output level. Outputs are cut at their boundaries.
    package let grandparents: [Segment]
    /// The range of keys that the job merges. Inputs of the output level lie completely inside it.
    package let bounds: KeyBounds
    /// True if inputs from above the output level stay, because other jobs merge the rest of them.
    ///
    /// Until the last of those jobs ends, the merged entries exist twice: as the same versions, or normalised ones
    /// below. So no read changes.
    package let keepsUpperInputs: Bool
    /// The value files whose values the job copies, so that the files can be deleted.
    package var collected: Set<UInt64> = []

    package init(
        _ kind: Kind, _ inputs: [Input], outputLevel: Int, isLast: Bool, older: OlderSegments = .init(),
        grandparents: [Segment] = [], bounds: KeyBounds = .all, keepsUpperInputs: Bool = false
    ) {
        self.kind = kind
        self.inputs = inputs.filter { !$0.segments.isEmpty }
        self.outputLevel = outputLevel
        self.isLast = isLast
        self.older = older
        self.grandparents = grandparents
        self.bounds = bounds
        self.keepsUpperInputs = keepsUpperInputs
    }

    package var segments: [Segment] { inputs.flatMap(\.segments) }
    /// The inputs that the outputs replace.
    package var replacedInputs: [Input] { keepsUpperInputs ? inputs.filter { $0.level == outputLevel } : inputs }
    package var replacedBytes: UInt64 {
        replacedInputs.flatMap(\.segments).reduce(0) { $0 + $1.metadata.fileBytes }
    }
    package var inputBytes: UInt64 { segments.reduce(0) { $0 + $1.metadata.fileBytes } }

    /// True if the job shrinks L0. Writers wait for such jobs.
    package var relievesL0: Bool { inputs.contains { $0.level == 0 } }
}

/// A range of encoded keys: the part of a job that one run processes. The bounds are keys, not positions in files, so
/// all versions of a key are in one range.
package struct KeyBounds: Sendable, Equatable {
    /// The first key; nil for no bound.
    package let lower: [UInt8]?
    /// The first key after the range; nil for no bound.
    package let upper: [UInt8]?

    package init(lower: [UInt8]? = nil, upper: [UInt8]? = nil) {
        self.lower = lower
        self.upper = upper
    }

    package static let all = KeyBounds()

    /// True if the segment has keys inside the range, as far as its bounds tell.
    package func overlaps(_ segment: Segment) -> Bool {
        let metadata = segment.metadata
        if let upper, !metadata.smallestKey.lexicographicallyPrecedes(upper) { return false }
        if let lower, metadata.largestKey.lexicographicallyPrecedes(lower) { return false }
        return true
    }

    /// Returns the parts of the range between `cuts`, ascending keys inside it. Each cut is the first key of the next
    /// part.
    package func divided(at cuts: [[UInt8]]) -> [KeyBounds] {
        zip([lower] + cuts, cuts + [upper]).map { KeyBounds(lower: $0, upper: $1) }
    }

    /// True if the key is inside the range and not its first key, so that a cut there leaves two parts.
    func canBeCut(at key: [UInt8]) -> Bool {
        if let lower, !lower.lexicographicallyPrecedes(key) { return false }
        if let upper, !key.lexicographicallyPrecedes(upper) { return false }
        return true
    }
}

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
