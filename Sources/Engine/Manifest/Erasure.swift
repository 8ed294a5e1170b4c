package import ShaleBase

/// The erasures of one namespace: the watermarks that the visibility rule compares sequences with.
///
/// The newest watermark decides for readers without a snapshot. Earlier ones are kept while a snapshot lives that is
/// older than a later one. Snapshots do not outlive the process, so the manifest stores only the newest of each.
package struct Erasure: Sendable, Equatable {
    /// Ascending. Entries with a sequence up to the newest watermark that an observer sees are erased.
    package var truncations: [SequenceNumber]
    /// Ascending. The watermarks for purgeable entries.
    package var purges: [SequenceNumber]
    /// True if the namespace was dropped. Then it is empty for every observer.
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

    /// Removes watermarks that no observer at or above `oldest` can distinguish from later ones.
    package mutating func forget(before oldest: SequenceNumber) {
        Erasure.trim(&truncations, oldest)
        Erasure.trim(&purges, oldest)
    }

    private static func trim(_ marks: inout [SequenceNumber], _ oldest: SequenceNumber) {
        let oldest = PlantedBug.isActive(.forgetOldWatermarks) ? .max : oldest
        guard let keep = marks.lastIndex(where: { $0 <= oldest }), keep > 0 else { return }
        marks.removeFirst(keep)
    }

    /// Returns the sequence for a live entry in the last level that every observer sees.
    ///
    /// It is as small as possible, so that columns shrink. It is above the watermarks that the entry has survived, so
    /// that the entry stays live. It is at or below any later watermark, so that a later purge still erases the entry.
    package func normalisedSequence(purgeable: Bool) -> SequenceNumber {
        if PlantedBug.isActive(.normaliseToZero) { return 0 }
        let truncated = truncatedThrough()
        return (purgeable ? max(truncated, purgedThrough()) : truncated) + 1
    }
}
