import ShaleManifest
import ShaleSegment

@testable import ShaleEngine

/// Where the parts of a store's files begin and end: data blocks in segments, chunks in logs.
enum FilePieces {
    static func find(in engine: Engine, _ files: [(path: String, bytes: [UInt8])]) throws -> [String: [Range<Int>]] {
        var pieces: [String: [Range<Int>]] = [:]
        for (path, bytes) in files where path.contains("/wal/") || path.contains("MANIFEST") {
            pieces[path] = chunks(bytes)
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

    /// DESIGN.md, section 5.
    private static func chunks(_ bytes: [UInt8]) -> [Range<Int>] {
        var chunks: [Range<Int>] = []
        var offset = 64
        while offset + 20 <= bytes.count {
            let room = (32 << 10) - offset % (32 << 10)
            if room < 20 {
                offset += room
                continue
            }
            guard bytes[offset + 10] != 0 else { break }
            let end = offset + 20 + Int(bytes[offset + 8]) + Int(bytes[offset + 9]) << 8
            chunks.append(offset..<end)
            offset = end
        }
        return chunks
    }
}
