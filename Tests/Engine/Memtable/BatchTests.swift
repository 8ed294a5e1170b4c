import ShaleBase
import ShaleMemtable
import ShalePlatform
import Testing

@Suite struct BatchTests {
    private func makeBatch() -> [UInt8] {
        var encoder = BatchEncoder()
        withBytes([1, 2, 3]) { key in
            encoder.put(NamespaceID(rawValue: 7), key, key)
            encoder.put(NamespaceID(rawValue: 8), key, .empty, isPurgeable: true, expiry: -5)
            encoder.delete(NamespaceID(rawValue: 7), key)
            encoder.put(NamespaceID(rawValue: 1 << 20), .empty, key)
        }
        encoder.setBaseSequence(1000)
        return encoder.bytes.array()
    }

    @Test func operationsComeBackAsTheyWereAppended() throws {
        try withBytes(makeBatch()) { bytes in
            let batch = try BatchOperations(validating: bytes)
            #expect(batch.baseSequence == 1000)
            #expect(batch.lastSequence == 1003)
            #expect(batch.count == 4)
            let operations = Array(batch)
            #expect(operations.map(\.namespace.rawValue) == [7, 8, 7, 1 << 20])
            #expect(operations.map(\.kind) == [.put, .put(purgeable: true, hasExpiry: true), .delete, .put])
            #expect(operations.map(\.expiry) == [0, -5, 0, 0])
            #expect(operations.map { $0.userKey.array() } == [[1, 2, 3], [1, 2, 3], [1, 2, 3], []])
            #expect(operations.map { $0.value.array() } == [[1, 2, 3], [], [], [1, 2, 3]])
        }
    }

    @Test func theBytesAreThoseOfTheFormatDocument() {
        var encoder = BatchEncoder()
        withBytes([0xaa, 0xbb]) { encoder.put(NamespaceID(rawValue: 0x0102_0304), $0, $0, expiry: 6) }
        encoder.setBaseSequence(5)
        let expected: [UInt8] =
            [5, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
            + [0x11, 0, 2, 0, 4, 3, 2, 1, 2, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0xaa, 0xbb, 0xaa, 0xbb]
        #expect(encoder.bytes.array() == expected)
    }

    @Test func anEmptiedEncoderStartsAgain() {
        var encoder = BatchEncoder()
        encoder.setBaseSequence(5)
        encoder.delete(NamespaceID(rawValue: 1), .empty)
        encoder.removeAll()
        #expect(encoder.count == 0)
        #expect(encoder.bytes.array() == [UInt8](repeating: 0, count: 16))
    }

    @Test func aCutBatchIsRefusedAtEveryLength() {
        let batch = makeBatch()
        for count in 0..<batch.count {
            withBytes(Array(batch.prefix(count))) { bytes in
                _ = #expect(throws: ParseFailure.self) { try BatchOperations(validating: bytes) }
            }
        }
        withBytes(batch + [0]) { bytes in
            _ = #expect(throws: ParseFailure.self) { try BatchOperations(validating: bytes) }
        }
    }

    @Test func noChangedByteMakesABatchTrap() throws {
        let batch = makeBatch()
        for position in batch.indices {
            for value: UInt8 in 0...255 {
                var changed = batch
                changed[position] = value
                withBytes(changed) { bytes in
                    guard let operations = try? BatchOperations(validating: bytes) else { return }
                    var used = BatchFormat.headerBytes
                    for operation in operations {
                        used += BatchFormat.encodedSize(
                            keyBytes: operation.userKey.count, valueBytes: operation.value.count, kind: operation.kind)
                    }
                    #expect(used == changed.count)
                }
            }
        }
    }

    @Test(
        "Reserved bits, unknown kinds and deletes with values are refused",
        arguments: [(0, 0), (12, 1), (16, 0x41), (16, 2), (16, 3), (17, 1), (16, 0x10)])
    func malformedOperationsAreRefused(position: Int, value: UInt8) {
        var batch = makeBatch()
        if position == 0 { batch[1] = 0 }
        batch[position] = value
        withBytes(batch) { bytes in
            _ = #expect(throws: ParseFailure.self) { try BatchOperations(validating: bytes) }
        }
    }

    @Test func sequencesFitInto56Bits() throws {
        var encoder = BatchEncoder()
        encoder.delete(NamespaceID(rawValue: 1), .empty)
        encoder.delete(NamespaceID(rawValue: 2), .empty)
        encoder.setBaseSequence(Trailer.sequenceMax)
        #expect(throws: ParseFailure.self) { try BatchOperations(validating: encoder.bytes) }
        encoder.setBaseSequence(Trailer.sequenceMax - 1)
        #expect(try BatchOperations(validating: encoder.bytes).lastSequence == Trailer.sequenceMax)
    }

    @Test func operationsGetConsecutiveSequences() throws {
        let memtable = Memtable(arena: try Arena(capacity: 1 << 20))
        try withBytes(makeBatch()) { try BatchOperations(validating: $0).apply(to: memtable) }
        withBytes(makeBatch()) { BatchFormat.apply($0, baseSequence: 2000, to: memtable) }
        #expect(memtable.entryCount == 8)
        #expect(memtable.get([0, 0, 0, 7, 1, 2, 3], through: 1001)?.trailer == Trailer(1000, .put))
        #expect(memtable.get([0, 0, 0, 7, 1, 2, 3], through: 1999)?.trailer == Trailer(1002, .delete))
        #expect(memtable.get([0, 0, 0, 8, 1, 2, 3], through: 9999)?.expiry == -5)
        #expect(memtable.lastSequence == 2003)
    }
}
