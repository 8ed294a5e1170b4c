import ShaleBase
import ShalePlatform
import ShaleSegment
import _ShaleHotPaths

/// An entry that owns its bytes, for tests to write and to compare.
struct TestEntry: Equatable, CustomStringConvertible {
    var key: [UInt8]
    var sequence: SequenceNumber
    var kind: EntryKind
    var expiry: Int64 = 0
    var value: [UInt8]

    var trailer: Trailer { Trailer(sequence, kind) }

    var description: String { "key=\(key.prefix(24)) sequence=\(sequence) kind=\(kind.rawValue) value=\(value.count)" }

    static func put(_ namespace: UInt32, _ key: String, _ sequence: SequenceNumber, _ value: String = "v") -> TestEntry
    {
        TestEntry(
            key: EncodedKey.start(of: NamespaceID(rawValue: namespace)) + Array(key.utf8), sequence: sequence,
            kind: .put, value: Array(value.utf8))
    }

    static func isBefore(_ a: TestEntry, _ b: TestEntry) -> Bool {
        a.key == b.key ? a.trailer.rawValue > b.trailer.rawValue : a.key.lexicographicallyPrecedes(b.key)
    }

    init(key: [UInt8], sequence: SequenceNumber, kind: EntryKind, expiry: Int64 = 0, value: [UInt8]) {
        self.key = key
        self.sequence = sequence
        self.kind = kind
        self.expiry = expiry
        self.value = value
    }

    init(_ entry: Entry) {
        self.init(
            key: entry.key.array(), sequence: entry.trailer.sequence, kind: entry.trailer.kind, expiry: entry.expiry,
            value: entry.value.array())
    }
}

extension [UInt8] {
    /// Lends the array's memory for a call.
    func lent<R, E: Error>(_ body: (Bytes) throws(E) -> R) throws(E) -> R {
        let memory = OwnedBytes(self)
        defer { withExtendedLifetime(memory) {} }
        return try body(memory.bytes)
    }
}

/// Makes sorted entries of many shapes from a seed.
struct EntryMaker {
    var count = 1000
    var namespaces: [UInt32] = [7]
    var keyLengths = 1...24
    var valueLengths = 0...120
    /// The probability that a key gets another version.
    var versionChance = 0.3
    var deleteChance = 0.1
    var expiryChance = 0.2
    var purgeableChance = 0.2
    var alphabet: UInt8 = 255
    var sequenceMax = 1 << 20

    static let fixed = EntryMaker(
        keyLengths: 16...16, valueLengths: 100...100, versionChance: 0, deleteChance: 0, expiryChance: 0,
        purgeableChance: 0)

    func make(_ random: SeededRandom) -> [TestEntry] {
        var entries: [TestEntry] = []
        var sequences = Set<SequenceNumber>()
        var key: [UInt8] = []
        while entries.count < count {
            if entries.isEmpty || !random.chance(versionChance) {
                let namespace = namespaces[random.below(namespaces.count)]
                let length = keyLengths.lowerBound + random.below(keyLengths.count)
                let suffix = (0..<length).map { _ in UInt8(random.below(Int(alphabet))) }
                key = EncodedKey.start(of: NamespaceID(rawValue: namespace)) + suffix
            }
            let sequence = SequenceNumber(1 + random.below(sequenceMax))
            guard sequences.insert(sequence).inserted else { continue }
            entries.append(entry(key, sequence, random))
        }
        return entries.sorted(by: TestEntry.isBefore)
    }

    private func entry(_ key: [UInt8], _ sequence: SequenceNumber, _ random: SeededRandom) -> TestEntry {
        if random.chance(deleteChance) {
            return TestEntry(key: key, sequence: sequence, kind: .delete, value: [])
        }
        let expires = random.chance(expiryChance)
        let kind = EntryKind.put(purgeable: random.chance(purgeableChance), hasExpiry: expires)
        let length = valueLengths.lowerBound + random.below(valueLengths.count)
        return TestEntry(
            key: key, sequence: sequence, kind: kind, expiry: expires ? Int64(random.below(1 << 40)) : 0,
            value: random.bytes(length).map { $0 & 0x0f })
    }
}

/// Entries whose values are JSON documents, and a dictionary for them.
enum DocumentEntries {
    static func make(
        _ kind: SampleDocuments.Kind = .profiles, count: Int, namespace: UInt32 = 1, seed: UInt64 = 1
    ) -> [TestEntry] {
        var documents = SampleDocuments(kind, seed: seed)
        return (0..<count).map { index in
            TestEntry(
                key: EncodedKey.start(of: NamespaceID(rawValue: namespace)) + Array("\(1_000_000 + index)".utf8),
                sequence: SequenceNumber(index + 1), kind: .put, value: documents.next())
        }
    }

    /// Returns a dictionary that is trained with the blocks of a segment of `entries`, written without a dictionary.
    static func dictionary(_ entries: [TestEntry], bytesMax: Int = 4 << 10) throws -> BlockDictionary? {
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries, options: SegmentWriterOptions(codec: .zstd(level: 1)))
        var trainer = DictionaryTrainer(.zstd(level: 1))
        for block in 0..<(try segment.blockCount()) { try trainer.add(block, of: segment, asTest: block % 4 == 3) }
        return trainer.train(bytesMax: bytesMax, of: trainer.testBytes(nil))
    }

    static func options(_ dictionary: BlockDictionary?, blockBytes: Int = 16 << 10) -> SegmentWriterOptions {
        var options = SegmentWriterOptions(blockBytes: blockBytes, codec: .zstd(level: 1))
        options.dictionaries[NamespaceID(rawValue: 1)] = dictionary
        return options
    }
}
