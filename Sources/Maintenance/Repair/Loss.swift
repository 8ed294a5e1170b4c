import ShaleBase
import ShaleSegment

/// A loss while the store is read: which keys it may have held, and how much depends on it.
final class Loss {
    /// As it will be reported. `doubtedEntries` grows while the store is read.
    var report: RepairLoss
    /// Encoded; nil where any key may be meant.
    private var range: (lower: [UInt8], includesLower: Bool, upper: [UInt8])?
    /// Tells keys that are certainly not in the lost part.
    private let segment: SegmentSalvage?

    /// What was lost may have been about any key.
    init(file: String, offset: UInt64, bytes: UInt64?, reason: String, entries: UInt64? = nil) {
        report = RepairLoss(file: file, offset: offset, bytes: bytes, reason: reason, keys: nil, entries: entries)
        range = nil
        segment = nil
    }

    /// A whole segment.
    init(_ segment: SegmentSalvage, _ error: StorageError) {
        let metadata = segment.metadata
        self.segment = segment
        range = (metadata.smallestKey, true, metadata.largestKey)
        report = RepairLoss(
            file: segment.path, offset: error.code == .missing ? 0 : error.offset ?? 0, bytes: metadata.fileBytes,
            reason: error.lossReason,
            keys: LostKeys(metadata.smallestKey, metadata.largestKey), entries: metadata.entryCount)
    }

    /// One block of a segment.
    init(_ segment: SegmentSalvage, _ block: LostBlock, _ error: StorageError) {
        self.segment = segment
        range = (block.lower, block.includesLower, block.upper)
        report = RepairLoss(
            file: segment.path, offset: block.offset, bytes: block.bytes, reason: error.message,
            keys: LostKeys(block.lower, block.upper), entries: block.entryCount)
    }

    /// Takes the next block of the same segment in.
    func extend(by block: LostBlock) {
        guard let range else { return }
        self.range = (range.lower, range.includesLower, block.upper)
        report.bytes = report.bytes.map { $0 + block.bytes }
        report.entries = report.entries.map { $0 + block.entryCount }
        report.keys = LostKeys(range.lower, block.upper)
    }

    /// Whether all its keys are below `key`.
    func isBelow(_ key: Bytes) -> Bool {
        guard let range else { return false }
        return unsafe range.upper.withUnsafeBytes { unsafe Bytes($0) < key }
    }

    /// Whether what is lost may have been about `key`.
    func mayHold(_ key: Bytes) -> Bool {
        guard let range, let segment else { return true }
        let isInside = unsafe range.lower.withUnsafeBytes { lower in
            let order = unsafe Bytes.compare(Bytes(lower), key)
            return order < 0 || (order == 0 && range.includesLower)
        }
        guard isInside, !isBelow(key), segment.metadata.slice(of: EncodedKey.namespace(of: key)) != nil else {
            return false
        }
        return segment.mayHold(hash: XXH3.hash(key))
    }
}

extension StorageError {
    /// Why bytes are lost, as reports say it.
    var lossReason: String { code == .missing ? "the file is missing" : message }
}
