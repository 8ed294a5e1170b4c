public import ShaleBase

/// A reader's position: that of a snapshot, or the present.
package struct Observer: Sendable, Equatable {
    package let sequence: SequenceNumber
    package let wallMilliseconds: Int64

    package init(sequence: SequenceNumber, wallMilliseconds: Int64) {
        self.sequence = sequence
        self.wallMilliseconds = wallMilliseconds
    }
}

/// The visibility rule. Reads, flush and compaction all use it.
///
/// It applies to the newest version of a key with sequence ≤ the observer's. *An absent version ends the search*: an
/// erased or expired version hides older ones like a tombstone. So purging or expiry never makes an old value reappear.
@usableFromInline
package enum Visibility {
    /// True if a version is visible. The watermarks are those that the observer sees.
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
