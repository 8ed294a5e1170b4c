import ShaleBase
import ShaleManifest
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
