import ShaleManifest
import ShaleSegment
import TestSupport

@testable import ShaleEngine

/// The ranges of the parts of a store's files: data blocks in segments, chunks in logs.
enum FilePieces {
    static func find(in engine: Engine, _ files: [(path: String, bytes: [UInt8])]) throws -> [String: [Range<Int>]] {
        var pieces: [String: [Range<Int>]] = [:]
        for (path, bytes) in files where path.contains("/wal/") || path.contains("MANIFEST") {
            pieces[path] = LogImage(bytes).chunks.map(\.range)
        }
        for segment in engine.core.viewCell.retained().version.levels.flatMap(\.segments) {
            guard let (path, _) = files.first(where: { $0.path.hasSuffix(StoreLayout.segment(segment.number)) }) else {
                continue
            }
            pieces[path] = try (0..<segment.blockCount()).map { index in
                let handle = try segment.indexRow(index).handle
                let start = Int(handle.offset)
                return start..<start + Int(handle.storedLength) + SegmentFormat.blockTrailerBytes
            }
        }
        return pieces
    }
}
