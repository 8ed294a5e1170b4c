package import ShaleBase

/// What has been erased in one namespace: the watermarks that the visibility rule compares sequences with.
///
/// The newest watermark decides for current readers; earlier ones are kept while a snapshot older than a later one
/// lives. Snapshots do not outlive the process, so the manifest stores only the newest of each.
package struct Erasure: Sendable, Equatable {
    /// Rising. An entry with sequence ≤ the newest one that an observer sees is erased.
    package var truncations: [SequenceNumber]
    /// Rising. The same, for purgeable entries.
    package var purges: [SequenceNumber]
    /// Dropped namespaces hold nothing, for any observer.
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

    /// Forgets watermarks that no observer at or above `oldest` can tell from later ones.
    package mutating func forget(before oldest: SequenceNumber) {
        Erasure.trim(&truncations, oldest)
        Erasure.trim(&purges, oldest)
    }

    private static func trim(_ marks: inout [SequenceNumber], _ oldest: SequenceNumber) {
        let oldest = PlantedBug.isActive(.forgetOldWatermarks) ? .max : oldest
        guard let keep = marks.lastIndex(where: { $0 <= oldest }), keep > 0 else { return }
        marks.removeFirst(keep)
    }

    /// The sequence that a live entry seen by every observer may take at the last level: as small as can be, so that
    /// columns shrink, but above the watermarks that it has outlived, so that it stays outside them, and no larger than
    /// any later watermark, so that a later purge still catches it.
    package func normalisedSequence(purgeable: Bool) -> SequenceNumber {
        if PlantedBug.isActive(.normaliseToZero) { return 0 }
        let truncated = truncatedThrough()
        return (purgeable ? max(truncated, purgedThrough()) : truncated) + 1
    }
}
