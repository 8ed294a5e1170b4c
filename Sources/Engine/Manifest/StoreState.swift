package import ShaleBase
package import ShaleSegment

/// The complete content of the manifest. An edit changes it, and a new manifest opens with it. A value, so that an edit
/// is applied to a copy, which becomes the state only after the edit is durable.
package struct StoreState {
    package var version: Version
    package var catalogue = Catalogue()
    package var nextFileNumber: UInt64 = 1
    package var lastSequence: SequenceNumber = 0
    package var logFloor: UInt64 = 0
    package var newestLog: UInt64 = 0
    package var clockFloor: Int64 = 0
    /// `nil` in a store that was last opened by a version without a clock.
    package var clock: StoreClock?

    package init(version: Version = .empty) { self.version = version }

    /// Returns the state after `edit`. Throws if the edit contradicts the state; for a replayed edit that means
    /// corruption.
    package func applying(
        _ edit: ManifestEdit, makeSegment: @escaping (SegmentMetadata) -> Segment
    ) throws(ParseFailure) -> StoreState {
        var replay = StateReplay(from: self, makeSegment: makeSegment)
        try replay.apply(edit)
        return try replay.finish()
    }

    /// One edit that creates this state from an empty one.
    package var snapshotEdit: ManifestEdit {
        var facts: [ManifestEdit.Fact] = [
            .nextFileNumber(nextFileNumber), .lastSequence(lastSequence), .logFloor(logFloor), .newestLog(newestLog),
            .clockFloor(clockFloor), .nextNamespaceID(catalogue.nextID),
        ]
        if let clock { facts.append(.clock(clock)) }
        facts += catalogue.records.values.sorted { $0.id < $1.id }.map { .namespaceCreated($0) }
        for level in version.levels {
            facts += level.segments.map { .segmentAdded(level: level.level, $0.metadata) }
        }
        return ManifestEdit(facts)
    }
}
