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

/// Applies edits one after the other.
///
/// The version is created, and its levels are checked for overlap, once at the end. Doing that for each edit would
/// replay the manifest of a large store in time quadratic in its segments.
package struct StateReplay {
    private var state: StoreState
    private let makeSegment: (SegmentMetadata) -> Segment
    /// nil until the first fact about segments.
    private var builder: VersionBuilder?

    package init(from state: StoreState, makeSegment: @escaping (SegmentMetadata) -> Segment) {
        self.state = state
        self.makeSegment = makeSegment
    }

    /// Applies an edit. Throws if it contradicts an earlier one.
    package mutating func apply(_ edit: ManifestEdit) throws(ParseFailure) {
        for fact in edit.facts { try apply(fact) }
    }

    private mutating func apply(_ fact: ManifestEdit.Fact) throws(ParseFailure) {
        switch fact {
        case .nextFileNumber(let number): state.nextFileNumber = max(state.nextFileNumber, number)
        case .lastSequence(let sequence): state.lastSequence = max(state.lastSequence, sequence)
        case .logFloor(let number): state.logFloor = number
        case .newestLog(let number): state.newestLog = max(state.newestLog, number)
        case .clockFloor(let milliseconds): state.clockFloor = max(state.clockFloor, milliseconds)
        case .clock(let clock):
            state.clock = clock
            state.clockFloor = clock.trusted
        case .nextNamespaceID(let id): state.catalogue.nextID = max(state.catalogue.nextID, id)
        case .namespaceCreated(let record):
            try state.catalogue.insert(record)
            // Later writes need sequences above the watermarks: they would be erased as soon as they are written.
            state.lastSequence = max(state.lastSequence, record.truncatedThrough, record.purgedThrough)
        case .namespaceOptions(let id, let options): try state.catalogue.update(id) { $0.options = options }
        case .namespaceDropped(let id, let sequence):
            try state.catalogue.remove(id)
            state.lastSequence = max(state.lastSequence, sequence)
        case .truncated(let id, let sequence):
            try state.catalogue.update(id) { $0.truncatedThrough = max($0.truncatedThrough, sequence) }
            state.lastSequence = max(state.lastSequence, sequence)
        case .purged(let id, let sequence):
            try state.catalogue.update(id) { $0.purgedThrough = max($0.purgedThrough, sequence) }
            state.lastSequence = max(state.lastSequence, sequence)
        case .segmentAdded, .segmentRemoved, .segmentMoved:
            if builder == nil { builder = VersionBuilder(state.version, makeSegment: makeSegment) }
            try builder?.apply(fact)
        }
    }

    /// Returns the state after all edits. Throws if segments of a sorted level overlap.
    package mutating func finish() throws(ParseFailure) -> StoreState {
        if let version = try builder?.build() { state.version = version }
        builder = nil
        return state
    }
}
