package import ShaleBase
package import ShaleSegment

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
        case .namespaceCreated(let record): try state.catalogue.insert(record)
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
