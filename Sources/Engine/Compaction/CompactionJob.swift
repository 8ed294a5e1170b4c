import ShaleBase
import ShaleManifest
package import ShaleSegment

/// A piece of background work on the tree. Its inputs are marked busy until it ends; two jobs never share one.
package struct CompactionJob: Sendable {
    package enum Kind: String, Sendable {
        /// Inputs go without being read: everything in them is dead.
        case drop
        /// Inputs change level without being read.
        case move
        /// Inputs are merged into new segments of the output level.
        case merge
        /// One segment is written again in place, without its dead entries.
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
    /// Whether the output level is the last that holds anything.
    package let isLast: Bool
    /// Segments outside the job that may hold older versions of its keys: tombstones above them must stay.
    package let older: OlderSegments
    /// Segments of the level below the output level: outputs are cut at their edges.
    package let grandparents: [Segment]
    /// What of the inputs is merged. Inputs of the output level lie inside as a whole.
    package let bounds: KeyBounds
    /// Whether inputs from above the output level stay, because other jobs merge the rest of them. What was merged of them is
    /// there twice until the last of those jobs: same versions, or normalised ones below, so no answer changes.
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
    /// The inputs that its outputs replace.
    package var replacedInputs: [Input] { keepsUpperInputs ? inputs.filter { $0.level == outputLevel } : inputs }
    package var replacedBytes: UInt64 {
        replacedInputs.flatMap(\.segments).reduce(0) { $0 + $1.metadata.fileBytes }
    }
    package var inputBytes: UInt64 { segments.reduce(0) { $0 + $1.metadata.fileBytes } }

    /// Work that shortens L0 is what writers wait for.
    package var relievesL0: Bool { inputs.contains { $0.level == 0 } }
}
