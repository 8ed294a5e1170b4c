public import ShaleBase
import ShaleManifest
import ShaleSegment

/// The content of a segment's file, part by part.
public struct InspectedSegment: Sendable {
    /// A contiguous part of the file.
    public struct Part: Sendable, Hashable {
        /// One of `data`, `dictionary`, `value code`, `filter`, `index`, `directory`, `properties` and `footer`.
        public let name: String
        public let offset: UInt64
        public let storedBytes: UInt64
        public let rawBytes: UInt64
    }

    /// The index row of a data block.
    public struct Block: Sendable, Hashable {
        public let number: Int
        public let offset: UInt64
        public let storedBytes: UInt64
        public let rawBytes: UInt64
        /// One of `none`, `lz4`, `zstd`, `zstdDictionary` and `valueCode`.
        public let codec: String
        public let entries: Int
        public let deletes: Int
        public let purgeable: Int
        public let expirable: Int
        public let minSequence: SequenceNumber
        public let maxSequence: SequenceNumber
        /// An encoded key that is ≥ the block's last key and below the next block's first key.
        public let separator: [UInt8]
    }

    public let number: UInt64
    /// `nil` if the file does not contain it.
    public internal(set) var facts: SegmentFacts?
    public internal(set) var writerVersion: String?
    public internal(set) var parts: [Part] = []
    public internal(set) var blocks: [Block] = []
    public internal(set) var findings: [Finding] = []
}

extension StoreInspector {
    /// Reads everything of segment `number` except its data.
    ///
    /// Damage is reported as a finding, and the parts that depend on it are omitted.
    ///
    /// - Parameters:
    ///   - number: The file number.
    ///   - verifying: Reads and verifies the data too.
    /// - Complexity: O(blocks), or O(file) with `verifying`.
    public func segment(_ number: UInt64, verifying: Bool = false) -> InspectedSegment {
        var result = InspectedSegment(number: number)
        do throws(StorageError) {
            let segment = try open(number)
            result.facts = SegmentFacts(segment.metadata, level: nil)
            let layout = try segment.layout()
            result.writerVersion = layout.writerVersion
            result.parts = layout.parts.map {
                .init(name: $0.name, offset: $0.offset, storedBytes: $0.storedBytes, rawBytes: $0.rawBytes)
            }
            for block in 0..<(try segment.blockCount()) { result.blocks.append(try .init(segment, block)) }
            if verifying { try segment.verify() }
        } catch {
            result.findings.append(Finding(error, in: Self.segmentName(number)))
        }
        return result
    }

    /// Returns all versions in block `block` of segment `number`, in order.
    ///
    /// - Throws: `.corruption` if the block is damaged, `.invalidArgument` if there is no block of that number.
    /// - Complexity: O(block).
    public func block(_ block: Int, ofSegment number: UInt64) throws(StorageError) -> [StoredVersion] {
        let segment = try open(number)
        let count = try segment.blockCount()
        guard 0..<count ~= block else {
            throw StorageError(.invalidArgument, "the segment has no such block block=\(block) of \(count)")
        }
        return try segment.entries(ofBlock: block).map { StoredVersion($0) }
    }

    /// Opens a segment by its own metadata, whether or not the manifest names it.
    func open(_ number: UInt64) throws(StorageError) -> Segment {
        let directory = try segments()
        let metadata = try Segment.metadata(number: number, directory: directory, environment: environment)
        return Segment(metadata: metadata, directory: directory, environment: environment)
    }
}

extension StoredVersion {
    init(_ entry: BlockEntry) {
        let namespace = unsafe entry.key.withUnsafeBytes { EncodedKey.namespace(of: unsafe Bytes($0)) }
        self.init(
            namespace, Array(entry.key.dropFirst(EncodedKey.namespaceWidth)), entry.trailer, expiry: entry.expiry,
            value: entry.value)
    }
}

extension InspectedSegment.Block {
    fileprivate init(_ segment: Segment, _ number: Int) throws(StorageError) {
        let row = try segment.indexRow(number)
        self.init(
            number: number, offset: row.handle.offset, storedBytes: UInt64(row.handle.totalBytes),
            rawBytes: UInt64(row.handle.rawLength), codec: "\(row.codec)", entries: Int(row.statistics.entryCount),
            deletes: Int(row.statistics.deleteCount), purgeable: Int(row.statistics.purgeableCount),
            expirable: Int(row.statistics.expirableCount), minSequence: row.statistics.minSequence,
            maxSequence: row.statistics.maxSequence, separator: try segment.separator(number))
    }
}
