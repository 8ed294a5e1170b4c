import Posix
import SystemZstd

/// The minimal cost of compacting a store: its blocks are read and decompressed, their entries merged, and the newest
/// entry of each key compressed with zstd again.
///
/// Nothing is verified, parsed beyond keys and values, indexed, filtered or written. The threads process ranges of
/// keys, several per thread, so that they end at about the same time.
struct CompactionRoofline {
    private static let rangesPerThread = 8
    private static let blockBytes = 16 << 10

    let inputs: InputBlocks
    let level: Int32

    struct Result: Sendable {
        var seconds = 0.0
        var entries = 0
        var outputBytes = 0
    }

    func measure(threads: Int) throws -> Result {
        let cuts = inputs.cuts(threads * CompactionRoofline.rangesPerThread)
        let bounds = Array(zip([nil] + cuts.map(Optional.some), cuts.map(Optional.some) + [nil]))
        let numbers = DealtNumbers(below: bounds.count)
        let began = Clock.now
        let parts = try Threads.run(threads) { _ in
            var sum = Result()
            while let range = numbers.next() {
                try merge(after: bounds[range].0, through: bounds[range].1, &sum)
            }
            return sum
        }
        var sum = Result()
        for part in parts {
            sum.entries += part.entries
            sum.outputBytes += part.outputBytes
        }
        sum.seconds = Clock.seconds(since: began)
        return sum
    }

    private func merge(after lower: [UInt8]?, through upper: [UInt8]?, _ sum: inout Result) throws {
        var sources = try inputs.runs.map { try RooflineSource($0, after: lower, through: upper) }
        sources.removeAll(where: \.isEnded)
        var output = CompressedOutput(level: level, blockBytes: CompactionRoofline.blockBytes)
        var last = [UInt8](repeating: 0, count: 20 << 10)
        var lastCount = -1
        while !sources.isEmpty {
            let winner = first(of: sources)
            let source = sources[winner]
            let isVersion = unsafe source.keyCount == lastCount && memcmp(source.key, &last, lastCount) == 0
            if !isVersion {
                lastCount = source.keyCount
                unsafe memcpy(&last, source.key, lastCount)
                output.add(source.block)
                sum.entries += 1
            }
            try source.next()
            if source.isEnded { sources.remove(at: winner) }
        }
        output.finish()
        sum.outputBytes += output.storedBytes
    }

    /// Returns the source with the smallest key. Among equal keys it is the newest, which comes first.
    @inline(__always)
    private func first(of sources: [RooflineSource]) -> Int {
        var best = 0
        for index in 1..<max(1, sources.count) {
            let (a, b) = (sources[index], sources[best])
            let order = unsafe memcmp(a.key, b.key, min(a.keyCount, b.keyCount))
            if order < 0 || order == 0 && a.keyCount < b.keyCount { best = index }
        }
        return best
    }
}

/// Collects entries into blocks, and compresses and discards each block.
@safe
private struct CompressedOutput: ~Copyable {
    private let context = unsafe ZSTD_createCCtx()
    private let blockBytes: Int
    private let raw: UnsafeMutableRawPointer
    private let stored: UnsafeMutableRawPointer
    private let bytesMax = 1 << 20
    private var rawCount = 0
    private(set) var storedBytes = 0

    init(level: Int32, blockBytes: Int) {
        self.blockBytes = blockBytes
        unsafe raw = .allocate(byteCount: bytesMax, alignment: 64)
        unsafe stored = .allocate(byteCount: bytesMax, alignment: 64)
        unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
        unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0)
    }

    deinit {
        unsafe ZSTD_freeCCtx(context)
        unsafe raw.deallocate()
        unsafe stored.deallocate()
    }

    mutating func add(_ block: RawBlock) {
        let count = block.suffixCount + block.valueCount
        if rawCount > 0, rawCount + count > blockBytes { finish() }
        precondition(count <= bytesMax)
        rawCount += unsafe block.copyEntry(to: raw + rawCount)
    }

    mutating func finish() {
        guard rawCount > 0 else { return }
        let count = unsafe ZSTD_compress2(context, stored, bytesMax, raw, rawCount)
        precondition(ZSTD_isError(count) == 0)
        storedBytes += count
        rawCount = 0
    }
}
