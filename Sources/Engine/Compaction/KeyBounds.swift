import ShaleBase
package import ShaleSegment

/// A range of encoded keys: the part of a job that one run does. Bounds are keys and no places in files, so all versions of a
/// key are in one range.
package struct KeyBounds: Sendable, Equatable {
    /// The first key; nil: from the beginning.
    package let lower: [UInt8]?
    /// The first key behind; nil: to the end.
    package let upper: [UInt8]?

    package init(lower: [UInt8]? = nil, upper: [UInt8]? = nil) {
        self.lower = lower
        self.upper = upper
    }

    package static let all = KeyBounds()

    /// Whether the segment's keys reach into it.
    package func overlaps(_ segment: Segment) -> Bool {
        let metadata = segment.metadata
        if let upper, !metadata.smallestKey.lexicographicallyPrecedes(upper) { return false }
        if let lower, metadata.largestKey.lexicographicallyPrecedes(lower) { return false }
        return true
    }

    /// The parts that `cuts` divide it into: ascending keys inside it, each the first of the part that follows.
    package func divided(at cuts: [[UInt8]]) -> [KeyBounds] {
        zip([lower] + cuts, cuts + [upper]).map { KeyBounds(lower: $0, upper: $1) }
    }

    /// Whether the key is inside and not the first one, so that cutting there leaves two parts.
    func canBeCut(at key: [UInt8]) -> Bool {
        if let lower, !lower.lexicographicallyPrecedes(key) { return false }
        if let upper, !key.lexicographicallyPrecedes(upper) { return false }
        return true
    }
}
