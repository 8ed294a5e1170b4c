package import ShaleBase
package import ShaleSegment

/// Everything the manifest says: what an edit changes and what a new manifest opens with. A value, so that an edit is
/// tried on a copy and becomes the state only once it is durable.
package struct StoreState {
    package var version: Version
    package var catalogue = Catalogue()
    package var nextFileNumber: UInt64 = 1
    package var lastSequence: SequenceNumber = 0
    package var logFloor: UInt64 = 0
    package var newestLog: UInt64 = 0
    package var clockFloor: Int64 = 0

    package init(version: Version = .empty) { self.version = version }

    /// The state after `edit`; throws when the edit contradicts the state, which for a replayed edit means corruption.
    package func applying(
        _ edit: ManifestEdit, makeSegment: @escaping (SegmentMetadata) -> Segment
    ) throws(ParseFailure) -> StoreState {
        var next = self
        var builder = VersionBuilder(version, makeSegment: makeSegment)
        var changesSegments = false
        for fact in edit.facts {
            switch fact {
            case .nextFileNumber(let number): next.nextFileNumber = max(next.nextFileNumber, number)
            case .lastSequence(let sequence): next.lastSequence = max(next.lastSequence, sequence)
            case .logFloor(let number): next.logFloor = number
            case .newestLog(let number): next.newestLog = max(next.newestLog, number)
            case .clockFloor(let milliseconds): next.clockFloor = max(next.clockFloor, milliseconds)
            case .nextNamespaceID(let id): next.catalogue.nextID = max(next.catalogue.nextID, id)
            case .namespaceCreated(let record): try next.catalogue.insert(record)
            case .namespaceOptions(let id, let options): try next.catalogue.update(id) { $0.options = options }
            case .namespaceDropped(let id, let sequence):
                try next.catalogue.remove(id)
                next.lastSequence = max(next.lastSequence, sequence)
            case .truncated(let id, let sequence):
                try next.catalogue.update(id) { $0.truncatedThrough = max($0.truncatedThrough, sequence) }
                next.lastSequence = max(next.lastSequence, sequence)
            case .purged(let id, let sequence):
                try next.catalogue.update(id) { $0.purgedThrough = max($0.purgedThrough, sequence) }
                next.lastSequence = max(next.lastSequence, sequence)
            case .segmentAdded, .segmentRemoved, .segmentMoved:
                changesSegments = true
                try builder.apply(fact)
            }
        }
        if changesSegments { next.version = try builder.build() }
        return next
    }

    /// One edit that makes this state from an empty one.
    package var snapshotEdit: ManifestEdit {
        var facts: [ManifestEdit.Fact] = [
            .nextFileNumber(nextFileNumber), .lastSequence(lastSequence), .logFloor(logFloor), .newestLog(newestLog),
            .clockFloor(clockFloor), .nextNamespaceID(catalogue.nextID),
        ]
        facts += catalogue.records.values.sorted { $0.id < $1.id }.map { .namespaceCreated($0) }
        for level in version.levels {
            facts += level.segments.map { .segmentAdded(level: level.level, $0.metadata) }
        }
        return ManifestEdit(facts)
    }
}
