import SystemLZ4
import SystemZstd

/// The decompression rates of the codecs for blocks of the workloads' entries.
struct DecompressionRoofline {
    struct Rates {
        /// Raw bytes per second.
        let lz4: Double
        let zstd: Double
        /// Stored bytes per raw byte.
        let lz4Ratio: Double
        let zstdRatio: Double
    }

    private static let blockBytes = 16 << 10
    private static let blocks = 256

    private let raw: [[UInt8]]

    init(values: ValuePool, keyBytes: Int) {
        var key = KeyBuffer(byteCount: keyBytes)
        var index = 0
        raw = (0..<DecompressionRoofline.blocks).map { _ in
            var block: [UInt8] = []
            block.reserveCapacity(DecompressionRoofline.blockBytes + keyBytes + values.valueBytes)
            while block.count < DecompressionRoofline.blockBytes {
                key.set(index)
                block += key.array
                unsafe values.value(index, 0).withUnsafeBytes { unsafe block.append(contentsOf: $0) }
                index += 1
            }
            return block
        }
    }

    func measure(passes: Int) throws -> Rates {
        let lz4 = try raw.map(DecompressionRoofline.lz4)
        let zstd = try raw.map(DecompressionRoofline.zstd)
        var output = [UInt8](repeating: 0, count: raw.reduce(0) { max($0, $1.count) })
        let context = unsafe ZSTD_createDCtx()
        defer { unsafe ZSTD_freeDCtx(context) }
        let lz4Rate = try best(of: passes, lz4) { block in
            unsafe block.withUnsafeBytes { block in
                unsafe output.withUnsafeMutableBytes { output in
                    Int(
                        unsafe LZ4_decompress_safe(
                            block.baseAddress?.assumingMemoryBound(to: CChar.self),
                            output.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(block.count),
                            Int32(output.count)))
                }
            }
        }
        let zstdRate = try best(of: passes, zstd) { block in
            unsafe block.withUnsafeBytes { block in
                unsafe output.withUnsafeMutableBytes { output in
                    Int(
                        unsafe ZSTD_decompressDCtx(
                            context, output.baseAddress, output.count, block.baseAddress, block.count))
                }
            }
        }
        return Rates(lz4: lz4Rate, zstd: zstdRate, lz4Ratio: ratio(lz4), zstdRatio: ratio(zstd))
    }

    private func ratio(_ stored: [[UInt8]]) -> Double {
        Double(stored.reduce(0) { $0 + $1.count }) / Double(raw.reduce(0) { $0 + $1.count })
    }

    private func best(of passes: Int, _ blocks: [[UInt8]], _ decompress: ([UInt8]) -> Int) throws -> Double {
        var best = 0.0
        for _ in 0..<passes {
            var byteCount = 0
            let began = Clock.now
            for _ in 0..<8 {
                for (index, block) in blocks.enumerated() {
                    guard decompress(block) == raw[index].count else { throw BenchError("a codec failed") }
                    byteCount += raw[index].count
                }
            }
            best = max(best, Double(byteCount) / Clock.seconds(since: began))
        }
        return best
    }

    private static func lz4(_ block: [UInt8]) throws -> [UInt8] {
        let bound = Int(LZ4_compressBound(Int32(block.count)))
        let stored = unsafe [UInt8](unsafeUninitializedCapacity: bound) { target, count in
            count = unsafe block.withUnsafeBytes { block in
                Int(
                    unsafe LZ4_compress_default(
                        block.baseAddress?.assumingMemoryBound(to: CChar.self),
                        UnsafeMutableRawPointer(target.baseAddress)?.assumingMemoryBound(to: CChar.self),
                        Int32(block.count), Int32(bound)))
            }
        }
        guard !stored.isEmpty else { throw BenchError("LZ4 failed") }
        return stored
    }

    private static func zstd(_ block: [UInt8]) throws -> [UInt8] {
        let bound = ZSTD_compressBound(block.count)
        var failed = false
        let stored = unsafe [UInt8](unsafeUninitializedCapacity: bound) { target, count in
            let size = unsafe ZSTD_compress(target.baseAddress, bound, block, block.count, 1)
            failed = ZSTD_isError(size) != 0
            count = failed ? 0 : size
        }
        guard !failed else { throw BenchError("zstd failed") }
        return stored
    }
}
