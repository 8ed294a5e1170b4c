import Posix
import SystemLZ4
import SystemZstd

/// One sorted run of blocks, from after one key through another, read in pieces of 1 MiB and decompressed block by
/// block.
@safe
final class RooflineSource {
    private static let pieceBytes = 1 << 20

    private let blocks: [InputBlocks.Block]
    private var nextBlock: Int
    private let upper: [UInt8]?
    private let context = unsafe ZSTD_createDCtx()
    private var piece = [UInt8]()
    private var pieceFile: Int32 = -1
    private var pieceOffset = 0
    private let raw: UnsafeMutableRawPointer
    private(set) var block: RawBlock
    private(set) var isEnded = false

    /// The current key.
    let key: UnsafeMutableRawPointer
    private(set) var keyCount = 0

    init(_ blocks: [InputBlocks.Block], after lower: [UInt8]?, through upper: [UInt8]?) throws {
        self.blocks = blocks
        self.upper = upper
        nextBlock =
            lower.map { lower in
                blocks.firstIndex { lower.lexicographicallyPrecedes($0.separator) } ?? blocks.count
            } ?? 0
        unsafe raw = .allocate(byteCount: (blocks.map(\.rawBytes).max() ?? 0) + 64, alignment: 64)
        unsafe raw.initializeMemory(as: UInt8.self, repeating: 0, count: 32)
        unsafe key = .allocate(byteCount: 20 << 10, alignment: 64)
        block = unsafe RawBlock(at: raw)
        try enterBlock()
        while !isEnded, let lower, compare(lower) <= 0 { try next() }
    }

    deinit {
        unsafe ZSTD_freeDCtx(context)
        unsafe raw.deallocate()
        unsafe key.deallocate()
    }

    @inline(__always)
    func next() throws {
        block.next()
        if block.isEnded { try enterBlock() } else { takeKey() }
    }

    /// Compares the current key with `other`: negative, zero or positive.
    private func compare(_ other: [UInt8]) -> Int {
        unsafe other.withUnsafeBytes { other in
            let order = unsafe memcmp(key, other.baseAddress.unsafelyUnwrapped, min(keyCount, other.count))
            return order != 0 ? Int(order) : keyCount - other.count
        }
    }

    @inline(__always)
    private func takeKey() {
        keyCount = block.keyCount
        unsafe block.copyKey(to: key)
        if isInLastBlock, let upper, compare(upper) > 0 { isEnded = true }
    }

    /// True if the range may end in the current block.
    private var isInLastBlock = false

    private func enterBlock() throws {
        guard nextBlock < blocks.count else {
            isEnded = true
            return
        }
        let entered = blocks[nextBlock]
        nextBlock += 1
        try decompress(entered)
        block = unsafe RawBlock(at: raw)
        isInLastBlock = upper.map { !entered.separator.lexicographicallyPrecedes($0) } ?? false
        takeKey()
    }

    private func decompress(_ block: InputBlocks.Block) throws {
        if pieceFile != block.file || block.offset < pieceOffset
            || block.offset + block.storedBytes > pieceOffset + piece.count
        {
            try read(block)
        }
        let count = unsafe piece.withUnsafeBytes { piece in
            let stored = unsafe piece.baseAddress.unsafelyUnwrapped + block.offset - pieceOffset
            switch block.codec {
            case .none:
                unsafe memcpy(raw, stored, block.storedBytes)
                return block.storedBytes
            case .lz4:
                return Int(
                    unsafe LZ4_decompress_safe(
                        stored.assumingMemoryBound(to: CChar.self), raw.assumingMemoryBound(to: CChar.self),
                        Int32(block.storedBytes), Int32(block.rawBytes)))
            case .zstd:
                return unsafe ZSTD_decompressDCtx(context, raw, block.rawBytes, stored, block.storedBytes)
            }
        }
        guard count == block.rawBytes else { throw BenchError("a block can't be decompressed") }
    }

    private func read(_ first: InputBlocks.Block) throws {
        var end = first.offset + first.storedBytes
        for next in blocks[nextBlock...] {
            let nextEnd = next.offset + next.storedBytes
            guard next.file == first.file, nextEnd - first.offset <= RooflineSource.pieceBytes else { break }
            end = nextEnd
        }
        (pieceFile, pieceOffset) = (first.file, first.offset)
        let wanted = end - first.offset
        if piece.count < wanted { piece = [UInt8](repeating: 0, count: wanted) }
        if piece.count > wanted { piece.removeLast(piece.count - wanted) }
        let count = unsafe piece.withUnsafeMutableBytes {
            unsafe pread(first.file, $0.baseAddress, wanted, off_t(first.offset))
        }
        guard count == wanted else { throw SystemCallError("pread", "a segment") }
    }
}
