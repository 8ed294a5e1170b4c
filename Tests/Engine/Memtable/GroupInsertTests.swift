import ShaleBase
import ShaleMemtable
import ShalePlatform
import Testing

@Suite struct BatchInsertTests {
    private static let namespace = NamespaceID(rawValue: 3)

    /// Adds more bytes than the size from which a memtable inserts with look-ahead.
    private static func filler(_ encoder: inout BatchEncoder, _ random: SeededRandom) {
        let value = OwnedBytes(count: 2000)
        value.mutable.zero(0, value.count)
        for _ in 0..<600 { withBytes(random.bytes(8)) { encoder.put(namespace, $0, value.bytes) } }
    }

    @Test(arguments: KeyShape.allCases)
    func aBatchEndsUpAsIfEachOperationHadBeenAlone(shape: KeyShape) throws {
        let random = SeededRandom(seed: testSeed ^ 11)
        let batched = Memtable(arena: try Arena(capacity: 32 << 20))
        let single = Memtable(arena: try Arena(capacity: 32 << 20))
        let keys = shape.make(3000, random)
        var sequence: SequenceNumber = 1
        var encoder = BatchEncoder()
        BatchInsertTests.filler(&encoder, random)
        // Keys of 16 KiB need far fewer operations for the same number of bytes.
        let last: SequenceNumber = shape == .huge ? 1500 : 9000
        while sequence < last {
            let batch = encoder.operations
            batch.apply(to: batched, from: sequence)
            for (index, operation) in batch.enumerated() {
                single.insert(
                    namespace: operation.namespace, userKey: operation.userKey,
                    trailer: Trailer(sequence + UInt64(index), operation.kind), expiry: operation.expiry,
                    value: operation.value)
            }
            sequence += UInt64(batch.count)
            encoder.removeAll()
            for _ in 0..<1 + random.below(100) {
                withBytes(keys[random.below(keys.count)]) { key in
                    // The encoded keys of the second namespace differ within their first four bytes.
                    let namespace = NamespaceID(rawValue: random.chance(0.1) ? 0x0100_0003 : 3)
                    if random.chance(0.1) {
                        encoder.delete(namespace, key)
                    } else {
                        encoder.put(
                            namespace, key, key.slice(0, min(8, key.count)), expiry: random.chance(0.2) ? 5 : nil)
                    }
                }
            }
        }
        #expect(batched.allocatedBytes > 1 << 20)
        #expect(batched.entryCount == single.entryCount)
        #expect(try batched.scan(from: nil, .forward) == single.scan(from: nil, .forward), "seed \(testSeed)")
    }
}

@Suite struct SingleGroupTests {
    private static func record(_ random: SeededRandom, _ key: Bytes, _ sequence: SequenceNumber) -> OwnedBytes {
        let namespace = NamespaceID(rawValue: random.chance(0.1) ? 0x1_0003 : 3)
        var kind = random.chance(0.1) ? EntryKind.delete : EntryKind.put
        if kind == .put, random.chance(0.2) { kind = EntryKind(rawValue: kind.rawValue | 0x10) }
        let value = OwnedBytes(count: kind.isDelete ? 0 : 1 + random.below(300))
        value.mutable.zero(0, value.count)
        let record = OwnedBytes(
            count: SingleFormat.encodedSize(keyBytes: key.count, valueBytes: value.count, kind: kind))
        SingleFormat.encode(
            into: record.mutable, Trailer(sequence, kind), namespace: namespace, key: key, expiry: 5,
            value: value.bytes)
        return record
    }

    @Test(arguments: KeyShape.allCases)
    func aGroupEndsUpAsIfEachOperationHadBeenAlone(shape: KeyShape) throws {
        let random = SeededRandom(seed: testSeed ^ 12)
        let grouped = Memtable(arena: try Arena(capacity: 64 << 20))
        let single = Memtable(arena: try Arena(capacity: 64 << 20))
        let keys = shape.make(3000, random)
        let group = SingleGroup()
        var records: [OwnedBytes] = []
        for sequence in 1...SequenceNumber(shape == .huge ? 1500 : 12_000) {
            let record = withBytes(keys[random.below(keys.count)]) { SingleGroupTests.record(random, $0, sequence) }
            let operation = try SingleOperation(validating: record.bytes)
            operation.apply(to: single)
            records.append(record)
            group.append(operation, byteCount: record.count)
            #expect(group.byteCount == records.reduce(0) { $0 + $1.count })
            if group.isFull || random.chance(0.05) {
                group.apply(to: grouped)
                records.removeAll()
            }
        }
        group.apply(to: grouped)
        #expect(group.count == 0 && group.byteCount == 0)
        #expect(grouped.allocatedBytes > 1 << 20)
        #expect(grouped.entryCount == single.entryCount)
        #expect(grouped.lastSequence == single.lastSequence)
        #expect(try grouped.scan(from: nil, .forward) == single.scan(from: nil, .forward), "seed \(testSeed)")
    }
}
