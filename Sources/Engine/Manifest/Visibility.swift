public import ShaleBase

/// A reader's position: that of a snapshot, or the present.
package struct ReadPoint: Sendable, Equatable {
    package let sequence: SequenceNumber
    package let wallMilliseconds: Int64

    package init(sequence: SequenceNumber, wallMilliseconds: Int64) {
        self.sequence = sequence
        self.wallMilliseconds = wallMilliseconds
    }
}

/// The visibility rule. Reads, flush and compaction all use it.
///
/// It applies to the newest version of a key with sequence ≤ the read point's. *An absent version ends the search*: an
/// erased or expired version hides older ones like a tombstone. So purging or expiry never makes an old value reappear.
@usableFromInline
package enum Visibility {
    /// True if a version is visible. The watermarks are those that the read point sees.
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
        _ trailer: Trailer, expiry: Int64, _ erasure: borrowing Erasure, at readPoint: ReadPoint
    ) -> Bool {
        if erasure.isDropped { return false }
        return isPresent(
            trailer, expiry: expiry, truncatedThrough: erasure.truncatedThrough(at: readPoint.sequence),
            purgedThrough: erasure.purgedThrough(at: readPoint.sequence), wallMilliseconds: readPoint.wallMilliseconds)
    }
}

/// The erasures of one namespace: the watermarks that the visibility rule compares sequences with.
///
/// The newest watermark decides for readers without a snapshot. Earlier ones are kept while a snapshot lives that is
/// older than a later one. Snapshots do not outlive the process, so the manifest stores only the newest of each.
package struct Erasure: Sendable, Equatable {
    /// Ascending. Entries with a sequence up to the newest watermark that a read point sees are erased.
    package var truncations: [SequenceNumber]
    /// Ascending. The watermarks for purgeable entries.
    package var purges: [SequenceNumber]
    /// True if the namespace was dropped. Then it is empty for every read point.
    package var isDropped: Bool

    package init(truncatedThrough: SequenceNumber = 0, purgedThrough: SequenceNumber = 0, isDropped: Bool = false) {
        truncations = truncatedThrough > 0 ? [truncatedThrough] : []
        purges = purgedThrough > 0 ? [purgedThrough] : []
        self.isDropped = isDropped
    }

    package static let dropped = Erasure(isDropped: true)

    package func truncatedThrough(at sequence: SequenceNumber = .max) -> SequenceNumber {
        Erasure.newest(truncations, sequence)
    }

    package func purgedThrough(at sequence: SequenceNumber = .max) -> SequenceNumber {
        Erasure.newest(purges, sequence)
    }

    private static func newest(_ marks: [SequenceNumber], _ sequence: SequenceNumber) -> SequenceNumber {
        marks.last { $0 <= sequence } ?? 0
    }

    /// Removes watermarks that no read point at or above `oldest` can distinguish from later ones.
    package mutating func forget(before oldest: SequenceNumber) {
        Erasure.trim(&truncations, oldest)
        Erasure.trim(&purges, oldest)
    }

    private static func trim(_ marks: inout [SequenceNumber], _ oldest: SequenceNumber) {
        let oldest = PlantedBug.isActive(.forgetOldWatermarks) ? .max : oldest
        guard let keep = marks.lastIndex(where: { $0 <= oldest }), keep > 0 else { return }
        marks.removeFirst(keep)
    }

    /// Returns the sequence for a live entry in the last level that every read point sees.
    ///
    /// It is as small as possible, so that columns shrink. It is above the watermarks that the entry has survived, so
    /// that the entry stays live. It is at or below any later watermark, so that a later purge still erases the entry.
    package func normalisedSequence(purgeable: Bool) -> SequenceNumber {
        if PlantedBug.isActive(.normaliseToZero) { return 0 }
        let truncated = truncatedThrough()
        return (purgeable ? max(truncated, purgedThrough()) : truncated) + 1
    }
}
