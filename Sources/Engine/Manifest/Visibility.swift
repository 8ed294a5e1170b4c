public import ShaleBase

/// Somebody who looks at the store: a snapshot, or now.
package struct Observer: Sendable, Equatable {
    package let sequence: SequenceNumber
    package let wallMilliseconds: Int64

    package init(sequence: SequenceNumber, wallMilliseconds: Int64) {
        self.sequence = sequence
        self.wallMilliseconds = wallMilliseconds
    }
}

/// The one visibility rule. Reads, flush and compaction all call it.
///
/// It is asked about the newest version of a key with sequence ≤ the observer's. *Absent ends the search*: an erased or
/// expired version hides older ones like a tombstone, so purging or expiry never brings an old value back.
@usableFromInline
package enum Visibility {
    /// With the watermarks as the observer sees them.
    @inlinable @inline(__always)
    package static func isPresent(
        _ trailer: Trailer, expiry: Int64, truncatedThrough: SequenceNumber, purgedThrough: SequenceNumber,
        wallMilliseconds: Int64
    ) -> Bool {
        let kind = trailer.kind
        if kind.isDelete { return false }
        if trailer.sequence <= truncatedThrough { return false }
        if PlantedBug.isActive(.purgeBelowWatermark), trailer.sequence == purgedThrough { return true }
        if kind.isPurgeable, trailer.sequence <= purgedThrough { return false }
        if kind.hasExpiry, expiry <= wallMilliseconds { return false }
        return true
    }

    package static func isPresent(
        _ trailer: Trailer, expiry: Int64, _ erasure: borrowing Erasure, at observer: Observer
    ) -> Bool {
        if erasure.isDropped { return false }
        return isPresent(
            trailer, expiry: expiry, truncatedThrough: erasure.truncatedThrough(at: observer.sequence),
            purgedThrough: erasure.purgedThrough(at: observer.sequence), wallMilliseconds: observer.wallMilliseconds)
    }
}
