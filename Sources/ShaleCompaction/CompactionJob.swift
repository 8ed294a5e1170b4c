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

    package init(
        _ kind: Kind, _ inputs: [Input], outputLevel: Int, isLast: Bool, older: OlderSegments = .init(),
        grandparents: [Segment] = []
    ) {
        self.kind = kind
        self.inputs = inputs.filter { !$0.segments.isEmpty }
        self.outputLevel = outputLevel
        self.isLast = isLast
        self.older = older
        self.grandparents = grandparents
    }

    package var segments: [Segment] { inputs.flatMap(\.segments) }
    package var inputBytes: UInt64 { segments.reduce(0) { $0 + $1.metadata.fileBytes } }

    /// Work that shortens L0 is what writers wait for.
    package var relievesL0: Bool { inputs.contains { $0.level == 0 } }
}
