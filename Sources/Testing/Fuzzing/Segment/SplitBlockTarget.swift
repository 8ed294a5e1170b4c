import ShaleBase
import ShaleSegment

extension FuzzTarget {
    /// Input: entry count u32, raw length u32, length of the key part u32, codec u8 (5 for a plain value code), then
    /// key part and pages.
    static let splitBlock = FuzzTarget("split-block", "segment: split block", seeds: { try SplitBlockTarget.seeds() }) {
        try SplitBlockTarget.run($0)
    }
}

private enum SplitBlockTarget {
    private static let headerBytes = 13
    /// The codec in inputs of blocks under the plain value code.
    private static let plainCode: UInt8 = 5
    /// A larger block would only take longer.
    private static let rawBytesMax = 1 << 20

    static func run(_ input: [UInt8]) throws {
        guard let count = input.word(UInt32.self, at: 0), let rawLength = input.word(UInt32.self, at: 4),
            let keyPartLength = input.word(UInt32.self, at: 8), input.count >= headerBytes, rawLength <= rawBytesMax,
            let codec = StoredCodec(rawValue: min(input[12] % 6, StoredCodec.valueCode.rawValue)),
            codec != .zstdDictionary
        else { return }
        let code = input[12] % 6 == plainCode ? SplitBlockSample.plainCode : SplitBlockSample.code
        var stored = Array(input.dropFirst(headerBytes))
        guard Int(keyPartLength) <= stored.count else { return }
        PageTable(stored, keyPartLength: Int(keyPartLength), pages: Int(keyPartLength))?.seal(&stored)
        let memory = OwnedBytes(stored + [UInt8](repeating: 0, count: ValueCode.slackBytes))
        let probe: SplitBlockProbe
        do throws(ParseFailure) {
            probe = try SplitBlockProbe(
                memory.bytes.slice(0, stored.count), keyPartLength: Int(keyPartLength), count: Int(count),
                rawLength: Int(rawLength), codec: codec, code: code)
        } catch { return }
        defer { withExtendedLifetime(memory) {} }
        try check(probe, count: Int(count))
    }

    /// Checks that lookups find every entry of a block that loads, and that its raw form has a split form again.
    private static func check(_ probe: SplitBlockProbe, count: Int) throws {
        let entries: [BlockEntry]
        do throws(ParseFailure) {
            entries = try probe.entries()
        } catch {
            // Nothing is known about the entries. A lookup may find something, but stays in bounds.
            for key in SplitBlockSample.keys { _ = try? find(key, .max, probe) }
            return
        }
        for entry in entries {
            let found: BlockEntry?
            do throws(ParseFailure) {
                found = try find(entry.key, entry.trailer.sequence, probe)
            } catch {
                throw FuzzFinding("a split block that loads can't be searched: \(error.reason)")
            }
            guard let found, found.trailer.sequence == entry.trailer.sequence else {
                throw FuzzFinding("a split block hides an entry")
            }
            // Two entries of a key may have one sequence and different kinds.
            try require(
                found.trailer != entry.trailer || found.value == entry.value && found.expiry == entry.expiry,
                "a lookup in a split block differs from the loaded block")
        }
        let raw = try probe.rawBlock()
        for code in [nil, SplitBlockSample.code, SplitBlockSample.plainCode] {
            let again = try SplitBlockSample.probe(raw, count: count, code: code)
            defer { withExtendedLifetime(again.memory) {} }
            try require(try again.probe.rawBlock() == raw, "a split block does not come back")
        }
    }

    private static func find(
        _ key: [UInt8], _ limit: SequenceNumber, _ probe: SplitBlockProbe
    ) throws(ParseFailure) -> BlockEntry? {
        try key.withBytes { (key) throws(ParseFailure) in try probe.find(key, through: limit) }
    }

    static func seeds() throws -> [[UInt8]] {
        try [1, 12, 60].flatMap { count in
            try SegmentSample.parts(count: count).data.prefix(3).flatMap { block in
                try SplitBlockSample.forms.map { try seed(block, $0.compression, $0.code) }
            }
        }
    }

    private static func seed(
        _ block: SegmentParts.Block, _ compression: BlockCodec, _ code: ValueCode?
    ) throws -> [UInt8] {
        let count = block.stored.word(UInt32.self, at: 0) ?? 1
        let split = try SplitBlockSample.split(block.stored, count: Int(count), compression, code)
        var seed: [UInt8] = []
        seed.append(word: count)
        seed.append(word: UInt32(block.stored.count))
        seed.append(word: UInt32(split.keyPartLength))
        let usesPlainCode = split.codec == .valueCode && code?.isPlain == true
        return seed + [usesPlainCode ? plainCode : split.codec.rawValue] + split.stored
    }
}

enum SplitBlockSample {
    static let forms: [(compression: BlockCodec, code: ValueCode?)] = [
        (.none, nil), (.lz4, nil), (.zstd(level: 1), nil), (.none, code), (.none, plainCode),
    ]

    /// Keys of the seeds.
    static let keys = (0..<4).map { EncodedKey.start(of: NamespaceID(rawValue: 1)) + Array("key-\(1000 + $0)".utf8) }

    private static let dictionary = OwnedBytes(Array("some text that values may refer to".utf8))

    static let plainCode = ValueCode(plain: dictionary.bytes)

    /// The value code of all other blocks.
    static let code: ValueCode = {
        var trainer = ValueCodeTrainer(dictionary: dictionary.bytes)
        for byte in 0..<50 {
            let sample = OwnedBytes([UInt8](repeating: UInt8(byte), count: byte))
            trainer.add(sample.bytes)
        }
        return trainer.finish()
    }()

    static func split(
        _ raw: [UInt8], count: Int, _ compression: BlockCodec, _ code: ValueCode?
    ) throws -> (stored: [UInt8], keyPartLength: Int, codec: StoredCodec) {
        let split = try raw.withBytes { (raw) throws(ParseFailure) in
            try SplitBlockProbe.split(raw, count: count, compression: compression, code: code)
        }
        guard let split else { throw FuzzFinding("a small block is not split") }
        return split
    }

    /// Splits a raw block. The memory outlives the probe.
    static func probe(
        _ raw: [UInt8], count: Int, code: ValueCode?
    ) throws -> (probe: SplitBlockProbe, memory: OwnedBytes) {
        let split = try split(raw, count: count, .none, code)
        let memory = OwnedBytes(split.stored + [UInt8](repeating: 0, count: ValueCode.slackBytes))
        let probe = try SplitBlockProbe(
            memory.bytes.slice(0, split.stored.count), keyPartLength: split.keyPartLength, count: count,
            rawLength: raw.count, codec: split.codec, code: code)
        return (probe, memory)
    }
}
