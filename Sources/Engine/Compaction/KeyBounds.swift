import ShaleBase
package import ShaleSegment

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
