import ShaleBase
import ShaleSegment

/// Segments whose keys follow each other: a sorted level, or one segment of L0.
///
/// A loss is known here before any key that it may concern is asked for:
///
/// 1. A block is read when the previous one ends.
/// 2. Other sources don't advance beyond the current key of this one.
final class SegmentRunSalvage: SalvageSource {
    private let segments: [Segment]
    private var segmentIndex = -1
    private var segment: SegmentSalvage?
    private var blockIndex = 0
    private var block: SalvagedBlock?
    private var index = 0
    private var keyBuffer = ByteBuffer(capacity: 64)
    private var lastKey = ByteBuffer(capacity: 64)
    /// The losses that may concern keys not asked for yet.
    private var open: [Loss] = []
    private let report: (Loss) -> Void
    private let progress: (UInt64) throws(StorageError) -> Void

    private(set) var isEnded = false

    init(
        _ segments: [Segment], progress: @escaping (UInt64) throws(StorageError) -> Void,
        report: @escaping (Loss) -> Void
    ) {
        self.segments = segments
        self.report = report
        self.progress = progress
    }

    var key: Bytes { keyBuffer.bytes }
    var trailer: Trailer { block?.trailer(index) ?? Trailer(rawValue: 0) }
    var expiry: Int64 { block?.expiry(index) ?? 0 }
    var value: Bytes { block?.value(index) ?? .empty }

    func advance() throws(StorageError) {
        index += 1
        if let block, index < block.count { return block.key(index, into: &keyBuffer) }
        try enterNextBlock()
    }

    func loss(about key: Bytes) -> Loss? {
        while let first = open.first, first.isBelow(key) { open.removeFirst() }
        return open.first { $0.mayHold(key) }
    }

    private func enterNextBlock() throws(StorageError) {
        if let block {
            block.key(block.count - 1, into: &lastKey)
            self.block = nil
            blockIndex += 1
        }
        while true {
            guard let segment, blockIndex < segment.blockCount else {
                guard try enterNextSegment() else {
                    isEnded = true
                    return
                }
                continue
            }
            if let next = try read(segment) {
                block = next
                index = 0
                return next.key(0, into: &keyBuffer)
            }
            blockIndex += 1
        }
    }

    private func read(_ segment: SegmentSalvage) throws(StorageError) -> SalvagedBlock? {
        let place = segment.place(ofBlock: blockIndex)
        do throws(StorageError) {
            let block = try segment.block(blockIndex)
            block.key(0, into: &keyBuffer)
            // The checksum proves that this block was written here. Only its keys can prove that it belongs here.
            guard lastKey.count == 0 || lastKey.bytes <= keyBuffer.bytes else {
                throw StorageError.corruption(
                    "a block's keys are not above the keys of earlier blocks", offset: place?.offset)
            }
            try progress(place?.bytes ?? 0)
            return block
        } catch {
            guard error.isLossOfBytes, let place else { throw error }
            if let last = open.last, last.isEnding(at: place.offset, in: segment.path) {
                last.extend(by: place)
            } else {
                note(Loss(segment, place, error))
            }
            return nil
        }
    }

    private func enterNextSegment() throws(StorageError) -> Bool {
        segmentIndex += 1
        guard segmentIndex < segments.count else { return false }
        let next = try SegmentSalvage(segments[segmentIndex])
        segment = next
        blockIndex = 0
        if let error = next.damage.first, !next.hasIndex { note(Loss(next, error)) }
        return true
    }

    private func note(_ loss: Loss) {
        open.append(loss)
        report(loss)
    }
}

extension Loss {
    /// Returns true if the loss ends at this offset.
    func isEnding(at offset: UInt64, in file: String) -> Bool {
        report.file == file && report.bytes.map { report.offset + $0 } == offset
    }
}
