import ShaleBase
import ShalePlatform

@testable import ShaleSegment

/// A block in its raw and its split form, with the entries from which it was made.
struct SplitSample {
    typealias Item = DataBlockParsingTests.Item

    struct NotSplit: Error {}

    /// The way of storing values.
    enum Method: CaseIterable {
        case none, lz4, zstd, code, plainCode

        var compression: BlockCodec {
            switch self {
            case .none, .code, .plainCode: .none
            case .lz4: .lz4
            case .zstd: .zstd(level: 1)
            }
        }
    }

    let items: [Item]
    let raw: [UInt8]
    /// The key part without its trailer, then the pages, then slack.
    let memory: OwnedBytes
    let storedLength: Int
    let keyPartLength: Int
    let codec: StoredCodec
    let code: ValueCode?

    init(_ items: [Item], _ method: Method = .none) throws {
        self.items = items
        raw = SplitSample.raw(items)
        code =
            switch method {
            case .code: ValueCodeTests.trained(items.map(\.value).filter { $0.count <= 65_535 })
            case .plainCode: ValueCode(plain: .empty)
            default: nil
            }
        let (code, count) = (code, items.count)
        let block = try raw.withBytes { (raw) throws(ParseFailure) in
            try SplitBlockProbe.split(raw, count: count, compression: method.compression, code: code)
        }
        guard let block else { throw NotSplit() }
        storedLength = block.stored.count
        keyPartLength = block.keyPartLength
        codec = block.codec
        memory = OwnedBytes(block.stored + [UInt8](repeating: 0, count: PageDecoder.slackBytes))
    }

    private init(_ other: SplitSample, stored: [UInt8]) {
        items = other.items
        raw = other.raw
        code = other.code
        storedLength = stored.count
        keyPartLength = other.keyPartLength
        codec = other.codec
        memory = OwnedBytes(stored + [UInt8](repeating: 0, count: PageDecoder.slackBytes))
    }

    /// Returns the same block with changed bytes.
    func changed(_ change: (inout [UInt8]) -> Void) -> SplitSample {
        var stored = stored
        change(&stored)
        return SplitSample(self, stored: stored)
    }

    /// Returns the same block with changed bytes and right checksums of pages.
    func resealed(_ change: (inout [UInt8]) -> Void) -> SplitSample {
        changed { stored in
            change(&stored)
            // The table of pages as changed; its checksums may be anywhere.
            let copy = OwnedBytes(stored)
            defer { withExtendedLifetime(copy) {} }
            guard let part = try? part(copy.bytes) else { return }
            for number in 0..<part.pageCount {
                guard let page = try? part.page(number) else { continue }
                let sum = stored.withBytes {
                    SplitBlockFormat.checksum($0.slice(keyPartLength + page.offset, page.length))
                }
                let place = part.columns.pageSums + 8 * number
                for byte in 0..<8 { stored[place + byte] = UInt8(truncatingIfNeeded: sum >> UInt64(8 * byte)) }
            }
        }
    }

    var stored: [UInt8] { memory.bytes.slice(0, storedLength).array() }

    var probe: SplitBlockProbe {
        get throws(ParseFailure) {
            try SplitBlockProbe(
                memory.bytes.slice(0, storedLength), keyPartLength: keyPartLength, count: items.count,
                rawLength: raw.count, codec: codec, code: code)
        }
    }

    func part() throws(ParseFailure) -> KeyPart { try part(memory.bytes) }

    private func part(_ bytes: Bytes) throws(ParseFailure) -> KeyPart {
        try KeyPart(
            bytes.slice(0, keyPartLength), expectedCount: items.count, codec: codec, rawLength: raw.count,
            pagesLength: storedLength - keyPartLength)
    }

    func entries() throws(ParseFailure) -> [Item] { try probe.entries().map { Item($0) } }

    func find(_ key: [UInt8], through limit: SequenceNumber = Trailer.sequenceMax) throws(ParseFailure) -> Item? {
        let probe = try probe
        return try key.withBytes { (key) throws(ParseFailure) in try probe.find(key, through: limit).map { Item($0) } }
    }

    static func raw(_ items: [Item]) -> [UInt8] {
        var builder = DataBlockBuilder()
        var previous: [UInt8] = []
        for item in items {
            item.key.withBytes { key in
                item.value.withBytes {
                    builder.add(key, item.trailer, item.expiry, $0, isVersion: item.key == previous)
                }
            }
            previous = item.key
        }
        var output = ByteBuffer()
        builder.encode(to: &output)
        return output.bytes.array()
    }

    /// Returns ordered entries of one namespace: keys of one or of several lengths, some with versions, some deletes.
    static func items(_ random: SeededRandom, count: Int, hasFixedKeys: Bool) -> [Item] {
        var keys: Set<[UInt8]> = []
        let stem = (0..<random.below(12)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        while keys.count < count {
            let length = hasFixedKeys ? 6 : random.below(20)
            keys.insert([0, 0, 0, 1] + stem + (0..<length).map { _ in UInt8(random.below(4)) })
        }
        return keys.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { key in
            (0..<(random.below(5) == 0 ? 1 + random.below(40) : 1)).map { version in
                let isDelete = random.below(6) == 0
                let kind = isDelete ? EntryKind.delete : .put(purgeable: random.below(3) == 0, hasExpiry: false)
                let text = Array(repeating: UInt8(97 + random.below(3)), count: random.below(200))
                return Item(key: key, trailer: Trailer(UInt64(1000 - 3 * version), kind), value: isDelete ? [] : text)
            }
        }
    }
}

extension DataBlockParsingTests.Item {
    init(_ entry: BlockEntry) {
        self.init(key: entry.key, trailer: entry.trailer, expiry: entry.expiry, value: entry.value)
    }
}
