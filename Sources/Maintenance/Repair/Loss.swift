import ShaleBase
import ShaleSegment

/// A loss found while reading the store: the keys it may have held, and the entries that it puts in doubt.
final class Loss {
    /// The loss as it will be reported. `doubtedEntries` grows while the store is read.
    var report: RepairLoss
    /// The range of encoded keys; `nil` if the loss may concern any key.
    private var range: (lower: [UInt8], includesLower: Bool, upper: [UInt8])?
    /// The damaged segment, whose index and filter exclude keys that the lost part can't have held.
    private let segment: SegmentSalvage?

    /// A loss that may have concerned any key.
    init(file: String, offset: UInt64, bytes: UInt64?, reason: String, entries: UInt64? = nil) {
        report = RepairLoss(file: file, offset: offset, bytes: bytes, reason: reason, keys: nil, entries: entries)
        range = nil
        segment = nil
    }

    /// The loss of a whole segment.
    init(_ segment: SegmentSalvage, _ error: StorageError) {
        let metadata = segment.metadata
        self.segment = segment
        range = (metadata.smallestKey, true, metadata.largestKey)
        report = RepairLoss(
            file: segment.path, offset: error.code == .missing ? 0 : error.offset ?? 0, bytes: metadata.fileBytes,
            reason: error.lossReason,
            keys: LostKeys(metadata.smallestKey, metadata.largestKey), entries: metadata.entryCount)
    }

    /// The loss of one block of a segment.
    init(_ segment: SegmentSalvage, _ block: LostBlock, _ error: StorageError) {
        self.segment = segment
        range = (block.lower, block.includesLower, block.upper)
        report = RepairLoss(
            file: segment.path, offset: block.offset, bytes: block.bytes, reason: error.message,
            keys: LostKeys(block.lower, block.upper), entries: block.entryCount)
    }

    /// Extends the loss by the next block of the same segment.
    func extend(by block: LostBlock) {
        guard let range else { return }
        self.range = (range.lower, range.includesLower, block.upper)
        report.bytes = report.bytes.map { $0 + block.bytes }
        report.entries = report.entries.map { $0 + block.entryCount }
        report.keys = LostKeys(range.lower, block.upper)
    }

    /// Returns true if all keys of the loss are below `key`.
    func isBelow(_ key: Bytes) -> Bool {
        guard let range else { return false }
        return unsafe range.upper.withUnsafeBytes { unsafe Bytes($0) < key }
    }

    /// Returns true if the loss may have concerned `key`.
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
    /// The reason of a loss, for reports.
    var lossReason: String { code == .missing ? "the file is missing" : message }
}

/// The losses of one repair, in the order in which they were found.
final class CollectedLosses {
    private(set) var losses: [Loss] = []

    func add(_ loss: Loss) { losses.append(loss) }
}
