import ShaleBase
import ShaleMemtable
import ShalePlatform
import Testing

@Suite struct SingleOperationTests {
    private static let kinds: [EntryKind] = [.put, .delete, .put(purgeable: true, hasExpiry: true)]

    private func encode(_ kind: EntryKind, namespace: UInt32 = 0x0a0b0c, key: [UInt8], value: [UInt8]) -> [UInt8] {
        let size = SingleFormat.encodedSize(keyBytes: key.count, valueBytes: value.count, kind: kind)
        let frame = OwnedBytes([UInt8](repeating: 0xee, count: size))
        withBytes(key) { key in
            withBytes(value) { value in
                SingleFormat.encode(
                    into: frame.mutable, Trailer(0x0102_0304_0506_07, kind),
                    namespace: NamespaceID(rawValue: namespace), key: key, expiry: -2, value: value)
            }
        }
        return withExtendedLifetime(frame) { frame.bytes.array() }
    }

    @Test(arguments: kinds)
    func operationsComeBackAsTheyWereEncoded(kind: EntryKind) throws {
        for key: [UInt8] in [[], [1, 2, 3], [UInt8](repeating: 9, count: 16_384)] {
            let value: [UInt8] = kind.isDelete ? [] : [5, 6]
            try withBytes(encode(kind, namespace: 0xffffff, key: key, value: value)) { bytes in
                let single = try SingleOperation(validating: bytes)
                #expect(single.sequence == 0x0102_0304_0506_07)
                #expect(single.operation.kind == kind)
                #expect(single.operation.namespace.rawValue == 0xffffff)
                #expect(single.operation.userKey.array() == key)
                #expect(single.operation.value.array() == value)
                #expect(single.operation.expiry == (kind.hasExpiry ? -2 : 0))
            }
        }
    }

    @Test func theBytesAreThoseOfTheFormatDocument() {
        let fixed: [UInt8] = [0x11, 7, 6, 5, 4, 3, 2, 1, 0x0c, 0x0b, 0x0a, 2, 0]
        let expiry: [UInt8] = [0xfe] + [UInt8](repeating: 0xff, count: 7)
        let kind = EntryKind.put(purgeable: false, hasExpiry: true)
        #expect(encode(kind, key: [0xaa, 0xbb], value: [0xcc]) == fixed + expiry + [0xaa, 0xbb, 0xcc])
    }

    @Test(arguments: kinds)
    func anOperationCutBeforeItsValueIsRefused(kind: EntryKind) {
        let whole = encode(kind, key: [1, 2, 3], value: [])
        for count in 0..<whole.count {
            withBytes(Array(whole.prefix(count))) { bytes in
                _ = #expect(throws: ParseFailure.self) { try SingleOperation(validating: bytes) }
            }
        }
    }

    @Test(arguments: kinds)
    func noChangedByteMakesAnOperationTrap(kind: EntryKind) {
        let whole = encode(kind, key: [1, 2, 3], value: kind.isDelete ? [] : [4, 5])
        for position in whole.indices {
            for value: UInt8 in 0...255 {
                var changed = whole
                changed[position] = value
                withBytes(changed) { bytes in
                    guard let single = try? SingleOperation(validating: bytes) else { return }
                    let operation = single.operation
                    let used = SingleFormat.encodedSize(
                        keyBytes: operation.userKey.count, valueBytes: operation.value.count, kind: operation.kind)
                    #expect(used == changed.count)
                }
            }
        }
    }

    @Test(
        "Reserved bits, unknown kinds, long keys and deletes with values are refused",
        arguments: [(0, 0x41), (0, 2), (0, 3), (0, 0x10), (0, 0), (12, 0x40)])
    func malformedOperationsAreRefused(position: Int, value: UInt8) {
        var bytes = encode(.put, key: [1], value: [UInt8](repeating: 0, count: 17_000))
        bytes[position] = value
        if position == 12 { bytes[11] = 1 }
        withBytes(bytes) { bytes in
            _ = #expect(throws: ParseFailure.self) { try SingleOperation(validating: bytes) }
        }
    }

    @Test func sequence0IsRefused() {
        var bytes = encode(.put, key: [1], value: [])
        for position in 1..<8 { bytes[position] = 0 }
        withBytes(bytes) { bytes in
            _ = #expect(throws: ParseFailure.self) { try SingleOperation(validating: bytes) }
        }
    }
}
