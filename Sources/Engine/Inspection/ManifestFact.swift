public import ShaleBase
import ShaleManifest
import ShaleSegment

/// One fact of a manifest's edit. Properties that the fact does not have are `nil`.
public struct ManifestFact: Sendable, Hashable {
    /// The kind: `segmentAdded`, `purged` and so on. DESIGN.md, "Manifest".
    public let name: String
    /// A file number, a sequence, an id or a time, depending on the kind.
    public private(set) var number: UInt64?
    public private(set) var namespace: NamespaceID?
    /// The name of a namespace, as the bytes in the catalogue.
    public private(set) var namespaceName: [UInt8]?
    public private(set) var level: Int?
    public private(set) var targetLevel: Int?
    public private(set) var segment: SegmentFacts?

    private init(_ name: String, number: UInt64? = nil, namespace: NamespaceID? = nil) {
        self.name = name
        self.number = number
        self.namespace = namespace
    }

    init(_ fact: ManifestEdit.Fact) {
        switch fact {
        case .nextFileNumber(let number): self.init("nextFileNumber", number: number)
        case .lastSequence(let sequence): self.init("lastSequence", number: sequence)
        case .logFloor(let number): self.init("logFloor", number: number)
        case .newestLog(let number): self.init("newestLog", number: number)
        case .nextNamespaceID(let id): self.init("nextNamespaceID", number: UInt64(id))
        case .clockFloor(let milliseconds): self.init("clockFloor", number: UInt64(clamping: milliseconds))
        case .clock(let clock): self.init("clock", number: UInt64(clamping: clock.trusted))
        case .namespaceCreated(let record):
            self.init("namespaceCreated", namespace: record.id)
            namespaceName = record.name
        case .namespaceOptions(let id, _): self.init("namespaceOptions", namespace: id)
        case .namespaceDropped(let id, let sequence): self.init("namespaceDropped", number: sequence, namespace: id)
        case .truncated(let id, let sequence): self.init("truncated", number: sequence, namespace: id)
        case .purged(let id, let sequence): self.init("purged", number: sequence, namespace: id)
        case .segmentAdded(let level, let metadata):
            self.init("segmentAdded", number: metadata.number)
            self.level = level
            segment = SegmentFacts(metadata, level: level)
        case .segmentRemoved(let number, let level):
            self.init("segmentRemoved", number: number)
            self.level = level
        case .segmentMoved(let number, let from, let to):
            self.init("segmentMoved", number: number)
            level = from
            targetLevel = to
        }
    }
}

/// The metadata of a segment, from the manifest or from the segment itself.
public struct SegmentFacts: Sendable, Hashable {
    public let number: UInt64
    /// `nil` if the manifest does not name the segment.
    public let level: Int?
    public let fileBytes: UInt64
    public let createdMilliseconds: Int64
    /// Encoded keys: four bytes of the namespace's id, big-endian, then the key.
    public let smallestKey: [UInt8]
    public let largestKey: [UInt8]
    public let blocks: Int
    public let entries: UInt64
    public let deletes: UInt64
    public let purgeable: UInt64
    public let expirable: UInt64
    /// The uncompressed bytes of keys and values.
    public let rawBytes: UInt64
    public let minSequence: SequenceNumber
    public let maxSequence: SequenceNumber

    init(_ metadata: SegmentMetadata, level: Int?) {
        number = metadata.number
        self.level = level
        fileBytes = metadata.fileBytes
        createdMilliseconds = metadata.createdMilliseconds
        smallestKey = metadata.smallestKey
        largestKey = metadata.largestKey
        blocks = metadata.blockCount
        entries = metadata.entryCount
        deletes = metadata.deleteCount
        purgeable = metadata.purgeableCount
        expirable = metadata.expirableCount
        rawBytes = metadata.dataBytes
        minSequence = metadata.minSequence
        maxSequence = metadata.maxSequence
    }
}
