import ShaleBase
import ShaleSegment

/// Cuts a job into key ranges of about equal work, at boundaries of its inputs' blocks.
struct RangeCutter {
    let job: CompactionJob

    /// The number of pieces that each input is divided into. Ranges differ by at most one piece of each input.
    private static let piecesPerSegment = 64

    /// Returns at most `count` ranges in order, each of about `bytesMin` stored bytes or more. Reads the inputs'
    /// indexes, which their compaction needs anyway.
    func ranges(_ count: Int, bytesMin: UInt64) throws(StorageError) -> [KeyBounds] {
        let affordable = Int(clamping: job.inputBytes / max(1, bytesMin))
        let count = min(count, affordable)
        guard count > 1, job.kind == .merge else { return [job.bounds] }
        let pieces = try self.pieces()
        let total = pieces.reduce(UInt64(0)) { $0 + $1.rawBytes }
        var cuts: [[UInt8]] = []
        var passed: UInt64 = 0
        for piece in pieces {
            passed += piece.rawBytes
            guard cuts.count < count - 1, passed >= total / UInt64(count) * UInt64(cuts.count + 1) else { continue }
            // The whole piece stays in this range, with the versions of its last key at the beginning of the next
            // block.
            let cut = piece.separator + [0]
            if job.bounds.canBeCut(at: cut), cuts.last?.lexicographicallyPrecedes(cut) ?? true { cuts.append(cut) }
        }
        return job.bounds.divided(at: cuts)
    }

    /// Returns the pieces with their raw bytes, because work is what has to be decompressed, merged and compressed.
    private func pieces() throws(StorageError) -> [(separator: [UInt8], rawBytes: UInt64)] {
        var pieces: [(separator: [UInt8], rawBytes: UInt64)] = []
        for segment in job.segments where job.bounds.overlaps(segment) {
            pieces += try segment.pieces(RangeCutter.piecesPerSegment).filter { job.bounds.canBeCut(at: $0.separator) }
        }
        return pieces.sorted { $0.separator.lexicographicallyPrecedes($1.separator) }
    }
}
