import Posix
import ShaleInspection
import SystemLZ4
import SystemZstd
import _ShaleHotPaths

/// The minimal cost of reading every byte of a store's data: reading all blocks, computing their checksums and
/// decompressing them. The store is closed, so that all of its segments are live.
final class BlockRoofline: Sendable {
    private struct Piece: Sendable {
        let file: Int
        let blocks: Range<Int>
    }

    private static let pieceBytes: UInt64 = 1 << 20

    private let files: [File]
    private let pieces: [Piece]
    let rawBytes: UInt64

    init(storeAt path: String) throws {
        let inspector = try StoreInspector(at: path)
        files = try inspector.segmentNumbers().map { number in
            let segment = inspector.segment(number)
            guard segment.findings.isEmpty else { throw BenchError("segment \(number) is damaged") }
            return try File(path: path + "/" + StoreInspector.segmentName(number), segment.blocks)
        }
        rawBytes = files.reduce(0) { $0 + $1.blocks.reduce(0) { $0 + $1.rawBytes } }
        pieces = files.enumerated().flatMap { file, content in
            BlockRoofline.cut(content.blocks).map { Piece(file: file, blocks: $0) }
        }
    }

    private static func cut(_ blocks: [InspectedSegment.Block]) -> [Range<Int>] {
        var pieces: [Range<Int>] = []
        var start = 0
        for (index, block) in blocks.enumerated()
        where index + 1 == blocks.count || block.offset + block.storedBytes - blocks[start].offset >= pieceBytes {
            pieces.append(start..<index + 1)
            start = index + 1
        }
        return pieces
    }

    /// Returns the seconds for all blocks with this number of threads.
    func measure(threads: Int) throws -> Double {
        let numbers = DealtNumbers(below: pieces.count)
        let began = Clock.now
        let sums = try Threads.run(threads) { [self] _ in
            let reader = BlockReader()
            while let index = numbers.next() {
                try reader.read(files[pieces[index].file], pieces[index].blocks)
            }
            return reader.sum
        }
        let seconds = Clock.seconds(since: began)
        // Uses the sums, so that the compiler can't remove the work.
        guard sums.reduce(0, ^) != 0 else { throw BenchError("the checksums are nothing") }
        return seconds
    }

    final class File: Sendable {
        let path: String
        let descriptor: Int32
        let blocks: [InspectedSegment.Block]

        init(path: String, _ blocks: [InspectedSegment.Block]) throws {
            self.path = path
            self.blocks = blocks
            descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw SystemCallError("open", path) }
        }

        deinit { close(descriptor) }
    }
}

/// One thread's part of a ``BlockRoofline``.
@safe
private final class BlockReader {
    private(set) var sum: UInt64 = 0
    private var stored = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 << 20, alignment: 64)
    private var raw = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 64)
    private let context = unsafe ZSTD_createDCtx()

    deinit {
        unsafe stored.deallocate()
        unsafe raw.deallocate()
        unsafe ZSTD_freeDCtx(context)
    }

    /// Reads adjacent blocks with one call.
    func read(_ file: BlockRoofline.File, _ blocks: Range<Int>) throws {
        guard let first = file.blocks[blocks].first, let last = file.blocks[blocks].last else { return }
        let count = Int(last.offset + last.storedBytes - first.offset)
        unsafe BlockReader.enlarge(&stored, to: count)
        let received = unsafe pread(file.descriptor, stored.baseAddress, count, off_t(first.offset))
        guard received == count else { throw SystemCallError("pread", file.path) }
        for block in file.blocks[blocks] { try check(block, at: Int(block.offset - first.offset)) }
    }

    private static func enlarge(_ buffer: inout UnsafeMutableRawBufferPointer, to count: Int) {
        guard buffer.count < count else { return }
        unsafe buffer.deallocate()
        unsafe buffer = .allocate(byteCount: count, alignment: 64)
    }

    /// Processes a block. Codec, type and checksum follow the stored bytes; the checksum covers everything before it.
    private func check(_ block: InspectedSegment.Block, at start: Int) throws {
        let (trailerBytes, sumBytes) = (12, 8)
        let total = Int(block.storedBytes)
        let rawBytes = Int(block.rawBytes)
        unsafe BlockReader.enlarge(&raw, to: rawBytes)
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: stored[start..<start + total])
        unsafe sum ^= blockSum(UnsafeRawBufferPointer(rebasing: bytes[..<(total - sumBytes)]))
        let length = try unsafe decompress(
            UnsafeRawBufferPointer(rebasing: bytes[..<(total - trailerBytes)]), block.codec, rawBytes)
        guard length == rawBytes else { throw BenchError("a block does not decompress") }
    }

    private func decompress(_ bytes: UnsafeRawBufferPointer, _ codec: String, _ rawBytes: Int) throws -> Int {
        switch codec {
        case "none": return bytes.count
        case "lz4":
            return Int(
                unsafe LZ4_decompress_safe(
                    bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                    raw.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), Int32(rawBytes)))
        case "zstd":
            return unsafe ZSTD_decompressDCtx(context, raw.baseAddress, rawBytes, bytes.baseAddress, bytes.count)
        default: throw BenchError("no roofline for blocks of codec \(codec)")
        }
    }
}
