import Posix
import ShaleInspection

/// The data blocks of a store as sorted runs: each segment of L0 separately, newest first, then each level.
final class InputBlocks: Sendable {
    struct Block: Sendable {
        let file: Int32
        let offset: Int
        /// The stored size without the trailer.
        let storedBytes: Int
        let rawBytes: Int
        let codec: Codec
        let separator: [UInt8]
    }

    enum Codec: Sendable { case none, lz4, zstd }

    static let trailerBytes = 12

    let runs: [[Block]]
    private let files: [Int32]

    var rawBytes: Int { runs.joined().reduce(0) { $0 + $1.rawBytes } }
    var storedBytes: Int { runs.joined().reduce(0) { $0 + $1.storedBytes } }

    init(ofStoreAt path: String) throws {
        let inspector = try StoreInspector(at: path)
        let segments = try inspector.manifest().segments
        var opened: [Int32] = []
        var runs: [[Block]] = []
        for level in Set(segments.compactMap(\.level)).sorted() {
            var run: [Block] = []
            let members = segments.filter { $0.level == level }.sorted {
                level == 0
                    ? $1.maxSequence < $0.maxSequence : $0.smallestKey.lexicographicallyPrecedes($1.smallestKey)
            }
            for segment in members {
                let file = unsafe open(path + "/" + StoreInspector.segmentName(segment.number), O_RDONLY | O_CLOEXEC)
                guard file >= 0 else { throw SystemCallError("open", path) }
                opened.append(file)
                run += try inspector.segment(segment.number).blocks.map { try Block($0, in: file) }
                guard level == 0 else { continue }
                runs.append(run)
                run = []
            }
            if !run.isEmpty { runs.append(run) }
        }
        self.runs = runs
        files = opened
    }

    deinit { for file in files { close(file) } }

    /// Returns the keys that divide the blocks into `count` ranges of about the same raw size. Each is the last key of
    /// its range.
    func cuts(_ count: Int) -> [[UInt8]] {
        let sorted = runs.joined().sorted { $0.separator.lexicographicallyPrecedes($1.separator) }
        var cuts: [[UInt8]] = []
        var passed = 0
        let share = rawBytes / count
        for block in sorted {
            passed += block.rawBytes
            if cuts.count < count - 1, passed >= share * (cuts.count + 1) { cuts.append(block.separator) }
        }
        return cuts
    }
}

extension InputBlocks.Block {
    init(_ block: InspectedSegment.Block, in file: Int32) throws {
        let codec: InputBlocks.Codec =
            switch block.codec {
            case "none": .none
            case "lz4": .lz4
            case "zstd": .zstd
            default: throw BenchError("the roofline has no dictionaries: turn them off")
            }
        self.init(
            file: file, offset: Int(block.offset), storedBytes: Int(block.storedBytes) - InputBlocks.trailerBytes,
            rawBytes: Int(block.rawBytes), codec: codec, separator: block.separator)
    }
}
