import ShaleBase
import ShalePlatform
import Testing

@testable import ShaleCluster

/// The bytes that namespaces have on a cluster: docc article "Layout on RADOS".
@Suite
struct ClusterLayoutTests {
    private let id = [UInt8](0..<16)

    @Test
    func namesOfEntriesAreInTheOrderOfTheirKeys() throws {
        let random = SeededRandom(seed: 23)
        var keys: [[UInt8]] = [[], [0], [1], [0, 0], [0, 1], [1, 0], [1, 1], [2]]
        for _ in 0..<2_000 {
            keys.append((0..<random.below(6)).map { _ in [0, 1, 2, 3, 254, 255][random.below(6)] })
        }
        let sorted = keys.sorted { $0.lexicographicallyPrecedes($1) }
        let names = sorted.map { EntryName.name(of: $0) }
        for (one, next) in zip(names, names.dropFirst()) where one != next {
            #expect(one.lexicographicallyPrecedes(next))
        }
        for (key, name) in zip(sorted, names) {
            #expect(!name.contains(0))
            #expect(try EntryName.key(of: name) == key)
            // The start of a key lies before its own name and behind those of all smaller keys.
            let start = EntryName.start(of: key)
            #expect(start.lexicographicallyPrecedes(name))
            for other in sorted.prefix(while: { $0.lexicographicallyPrecedes(key) }).suffix(3) {
                #expect(EntryName.name(of: other).lexicographicallyPrecedes(start))
            }
        }
    }

    @Test
    func namesThatNoKeyHasAreDamage() {
        let names: [[UInt8]] = [
            [], [101], [101, 97], [120, 97, 1], [101, 1, 1], [101, 1, 3, 1], [101, 0, 1], [101, 97, 1, 97],
        ]
        for name in names {
            #expect(throws: StorageError.self, "\(name)") { try EntryName.key(of: name) }
        }
    }

    @Test
    func headersHaveTheirDocumentedBytes() throws {
        let header = ShardHeader(namespace: id, index: 3).purging().truncating().purging()
        let bytes = header.bytes
        #expect(bytes.count == ShardHeader.byteCount)
        #expect(Array(bytes[0..<4]) == Array("SHc1".utf8))
        #expect(Array(bytes[4..<20]) == id)
        #expect(
            Array(bytes[20..<48]) == [
                3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0,
            ])
        #expect(Array(bytes[48..<52]) == [0, 0, 0, 0])
        #expect(try ShardHeader(bytes) == header)
        let later = header.requiring(dataKey: 7).requiring(dataKey: 3)
        #expect(later.dataKey == 7 && later.generation == header.generation + 2)
        #expect(Array(later.bytes[48..<52]) == [7, 0, 0, 0])
        #expect(try ShardHeader(later.bytes) == later)
    }

    @Test
    func entriesHaveTheirDocumentedBytes() throws {
        let entry = ClusterEntry(
            generation: 5, isPurgeable: true, expiresAtMilliseconds: 9, content: .envelope([2, 0, 97]))
        let bytes = entry.bytes(namespace: id, key: [107])
        #expect(Array(bytes.dropLast(8)) == [1, 3, 5, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 2, 0, 97])
        #expect(try ClusterEntry(bytes, namespace: id, key: [107]) == entry)
        #expect(throws: StorageError.self) { try ClusterEntry(bytes, namespace: id, key: [108]) }
    }

    @Test
    func recordsComeBackAsTheyWereWritten() throws {
        for partitioning in [ClusterPartitioning.wholeKey, .firstBytes(7), .separator(47)] {
            let layout = ClusterLayout(
                shards: 77, partitioning: partitioning, isPurgeable: true, isEncrypted: true,
                timeToLive: .milliseconds(1_500))
            let record = NamespaceRecord(id: id, layout: layout, keys: [1, 2, 3])
            #expect(try NamespaceRecord(record.bytes) == record)
            #expect(record.layout == layout)
        }
    }

    @Test
    func largeValuesAndTheirNotesHaveTheirDocumentedBytes() throws {
        let value = LargeValue(id: id, envelope: [1, 0, 5])
        let entry = ClusterEntry(generation: 2, isPurgeable: false, expiresAtMilliseconds: nil, content: .large(value))
        let bytes = entry.bytes(namespace: id, key: [107])
        #expect(Array(bytes[..<26]) == [2, 0, 2, 0, 0, 0, 0, 0, 0, 0] + id)
        #expect(Array(bytes[26..<30]) == [3, 0, 0, 0])
        #expect(bytes.count == 10 + 28 + 8)
        #expect(try ClusterEntry(bytes, namespace: id, key: [107]) == entry)
        let note = ValueNote(id: id, time: 7, key: [107])
        #expect(note.name == Array("o000102030405060708090a0b0c0d0e0f".utf8))
        #expect(Array(note.bytes.dropLast(8)) == [1, 7, 0, 0, 0, 0, 0, 0, 0, 107])
        #expect(try ValueNote(note.entry) == note)
        for index in note.bytes.indices {
            var changed = note.bytes
            changed[index] ^= 0x20
            #expect(throws: StorageError.self) { try ValueNote(ObjectEntry(name: note.name, value: changed)) }
        }
    }

    @Test
    func everyChangedByteIsNoticed() throws {
        let record = NamespaceRecord(id: id, layout: ClusterLayout()).bytes
        let header = ShardHeader(namespace: id, index: 1).bytes
        let entry = ClusterEntry(
            generation: 1, isPurgeable: false, expiresAtMilliseconds: nil, content: .envelope([1, 0, 5])
        )
        .bytes(namespace: id, key: [1])
        func expectError(_ bytes: [UInt8], _ parse: ([UInt8]) throws -> Void) {
            for index in bytes.indices {
                var changed = bytes
                changed[index] ^= 0x20
                #expect(throws: StorageError.self, "byte \(index)") { try parse(changed) }
            }
            for count in bytes.indices {
                #expect(throws: StorageError.self, "\(count) bytes") { try parse(Array(bytes.prefix(count))) }
            }
        }
        expectError(record) { _ = try NamespaceRecord($0) }
        expectError(header) { _ = try ShardHeader($0) }
        expectError(entry) { _ = try ClusterEntry($0, namespace: id, key: [1]) }
    }

    @Test
    func keysOfAPartitionAreInOneShard() {
        let rule = ClusterPartitioning.separator(UInt8(ascii: "/"))
        let shards = Set((0..<50).map { rule.shard(of: Array("user7/\($0)".utf8), count: 64) })
        #expect(shards.count == 1)
        #expect(rule.shard(ofPrefix: Array("user7/".utf8), count: 64) == shards.first)
        #expect(rule.shard(ofPrefix: Array("user7".utf8), count: 64) == nil)
        #expect(ClusterPartitioning.firstBytes(4).shard(ofPrefix: Array("user".utf8), count: 64) != nil)
        #expect(ClusterPartitioning.wholeKey.shard(ofPrefix: Array("user".utf8), count: 64) == nil)
    }

    @Test
    func keysAreOfOnePartitionIfItsBytesAreTheSame() {
        func isSame(_ rule: ClusterPartitioning, _ one: String, _ other: String) -> Bool {
            rule.isSame(Array(one.utf8), Array(other.utf8))
        }
        let slash = ClusterPartitioning.separator(UInt8(ascii: "/"))
        #expect(isSame(slash, "user7/1", "user7/22") && isSame(slash, "user7", "user7"))
        #expect(!isSame(slash, "user7/1", "user8/1") && !isSame(slash, "user7", "user7/"))
        #expect(isSame(.firstBytes(2), "abc", "abd") && isSame(.firstBytes(2), "ab", "abd"))
        #expect(!isSame(.firstBytes(2), "a", "ab") && !isSame(.wholeKey, "a", "b") && isSame(.wholeKey, "a", "a"))
    }
}
