import ShaleBase
import ShalePlatform
import ShaleValues
import Testing

@testable import ShaleSegment

/// The checks of a data block when it is loaded. Blocks of one kind, one sequence and one length have shortcuts.
@Suite struct DataBlockParsingTests {
    struct Item: Equatable {
        var key: [UInt8]
        var trailer: Trailer
        var expiry: Int64 = 0
        var value: [UInt8]
    }

    static func item(_ index: Int, _ kind: EntryKind = .put, sequence: UInt64 = 9, value: [UInt8] = [1, 2, 3]) -> Item {
        Item(key: [0, 0, 0, 1, UInt8(index)], trailer: Trailer(sequence, kind), value: value)
    }

    static func raw(_ items: [Item]) -> [UInt8] {
        var builder = DataBlockBuilder()
        for item in items {
            item.key.withBytes { key in
                item.value.withBytes { builder.add(key, item.trailer, item.expiry, $0, isVersion: false) }
            }
        }
        var output = ByteBuffer()
        builder.encode(to: &output)
        return output.bytes.array()
    }

    /// Returns the entries of a raw block.
    static func parsed(_ raw: [UInt8], count: Int) throws(ParseFailure) -> [Item] {
        let block = DataBlock.allocate(bytes: DataBlock.bytesNeeded(count: count, rawLength: raw.count))
        defer { block.free() }
        raw.withBytes { block.rawTarget(count: count, rawLength: raw.count).copy($0, at: 0) }
        try block.parse(count: count, rawLength: raw.count)
        return (0..<count).map { index in
            Item(
                key: block.key(index), trailer: block.trailer(index), expiry: block.expiry(index),
                value: block.value(index).array())
        }
    }

    /// Entries of equal and of different kinds, sequences, lengths and expiries.
    static let shapes: [[Item]] = [
        (0..<20).map { item($0) },
        (0..<20).map { item($0, sequence: UInt64(1000 - 40 * $0)) },
        (0..<20).map { item($0, value: Array(repeating: 7, count: $0)) },
        (0..<20).map { item($0, value: []) },
        (0..<20).map { item($0, .delete, value: []) },
        (0..<20).map { $0 % 3 == 0 ? item($0, .delete, value: []) : item($0) },
        (0..<20).map { index in
            Item(
                key: [0, 0, 0, 1, UInt8(index)] + Array(repeating: 5, count: index % 3),
                trailer: Trailer(9, .put(purgeable: true, hasExpiry: index % 2 == 0)),
                expiry: index % 2 == 0 ? Int64(5000 + index) : 0, value: [1])
        },
        (0..<20).map { index in
            Item(
                key: [0, 0, 0, 1, UInt8(index)], trailer: Trailer(9, .put(purgeable: false, hasExpiry: true)),
                expiry: 77, value: [1])
        },
        [item(0)],
    ]

    /// References to value files are checked when a block is loaded: a later reader knows no place for its error.
    @Test(arguments: [false, true]) func aReferenceOutOfBoundsIsRefused(isAlone: Bool) throws {
        func reference(_ file: UInt64, _ offset: UInt64) -> [UInt8] {
            let bytes = OwnedBytes(count: ValueReference.encodedBytes)
            defer { withExtendedLifetime(bytes) {} }
            ValueReference(file: file, offset: offset, count: 5, checksum: 1).encode(into: bytes.mutable)
            return bytes.bytes.array()
        }
        let others = isAlone ? [] : [Self.item(0), Self.item(1, .delete, value: [])]
        func items(_ value: [UInt8]) -> [Item] { others + [Self.item(2, EntryKind.put.ofReference, value: value)] }
        let sound = items(reference(7, 88))
        #expect(try Self.parsed(Self.raw(sound), count: sound.count) == sound)
        for value in [[], [1, 2, 3], reference(0, 88), reference(7, 87), reference(7, 88) + [0]] as [[UInt8]] {
            #expect(throws: ParseFailure.self) { try Self.parsed(Self.raw(items(value)), count: sound.count) }
        }
    }

    @Test(arguments: shapes.indices) func entriesReadAsTheyWereAdded(_ shape: Int) throws {
        let items = Self.shapes[shape]
        #expect(try Self.parsed(Self.raw(items), count: items.count) == items)
    }

    /// Kinds follow the header of 16 bytes, the prefix of 4, one key length u16 and one value length u32.
    private static let kinds = 16 + 4 + 2 + 4

    private func expectRefused(_ items: [Item], _ change: (inout [UInt8]) -> Void) {
        var raw = Self.raw(items)
        change(&raw)
        #expect(throws: ParseFailure.self) { try Self.parsed(raw, count: items.count) }
    }

    @Test func kindsThatDoNotFitAreRefused() {
        let alike = (0..<20).map { Self.item($0) }
        let mixed = (0..<20).map { Self.item($0, .put(purgeable: $0 == 3, hasExpiry: false)) }
        for (items, place) in [(alike, Self.kinds), (mixed, Self.kinds + 5)] {
            // An unknown operation, an unknown flag, a delete with a value, an expiry without a column.
            for kind: UInt8 in [2, 0x41, 0, 0x11] { expectRefused(items) { $0[place] = kind } }
        }
    }

    @Test func anExpiryOfAnEntryWithoutOneIsRefused() {
        let items = (0..<4).map { index in
            Item(
                key: [0, 0, 0, 1, UInt8(index)], trailer: Trailer(9, .put(purgeable: false, hasExpiry: true)),
                expiry: 77, value: [1])
        }
        expectRefused(items) { $0[Self.kinds] = 1 }
    }

    @Test func sequencesOutOfBoundsAreRefused() {
        // The base, then the distance of one entry.
        expectRefused((0..<4).map { Self.item($0) }) { $0[15] = 1 }
        let spread = (0..<4).map { Self.item($0, sequence: Trailer.sequenceMax - 3 + UInt64($0)) }
        #expect(throws: Never.self) { try Self.parsed(Self.raw(spread), count: 4) }
        expectRefused(spread) { $0[Self.kinds + 1] = 4 }
    }

    @Test func keysOutOfOrderAreRefused() {
        // Suffixes follow the kind, then the values of three bytes. Short keys tie in their heads, and long ones.
        let alike = (0..<20).map { Self.item($0) }
        expectRefused(alike) { $0.swapAt(Self.kinds + 1 + 4, Self.kinds + 1 + 5) }
        expectRefused(alike) { $0[Self.kinds + 1 + 5] = 4 }
        let long =
            (0..<20).map { index in
                Item(
                    key: [0, 0, 0, 1] + Array(repeating: 3, count: 9) + [UInt8(index)], trailer: Trailer(9, .put),
                    value: [])
            } + [Item(key: [0, 0, 0, 1, 9] + Array(repeating: 0, count: 9), trailer: Trailer(9, .put), value: [])]
        #expect(throws: Never.self) { try Self.parsed(Self.raw(long), count: 21) }
        let suffixes = Self.kinds + 1
        expectRefused(long) { $0.swapAt(suffixes + 4 * 10 + 9, suffixes + 5 * 10 + 9) }
    }

    @Test func versionsAreOrderedAndFlagged() {
        func versions(_ sequences: [UInt64]) -> [UInt8] {
            var builder = DataBlockBuilder()
            for (index, sequence) in sequences.enumerated() {
                [0, 0, 0, 1, 7].withBytes { key in
                    [1].withBytes { builder.add(key, Trailer(sequence, .put), 0, $0, isVersion: index > 0) }
                }
            }
            var output = ByteBuffer()
            builder.encode(to: &output)
            return output.bytes.array()
        }
        let good = versions([9, 8, 3])
        #expect(throws: Never.self) { try Self.parsed(good, count: 3) }
        var unflagged = good
        unflagged[6] &= ~DataBlockFormat.hasVersions
        var flagged = Self.raw([Self.item(1), Self.item(2)])
        flagged[6] |= DataBlockFormat.hasVersions
        #expect(throws: ParseFailure.self) { try Self.parsed(versions([8, 9, 3]), count: 3) }
        #expect(throws: ParseFailure.self) { try Self.parsed(unflagged, count: 3) }
        #expect(throws: ParseFailure.self) { try Self.parsed(flagged, count: 2) }
    }

    @Test func lengthsThatDoNotAddUpAreRefused() {
        let alike = (0..<20).map { Self.item($0) }
        for place in 20..<26 { expectRefused(alike) { $0[place] ^= 0x80 } }
        let varying = (0..<20).map { Self.item($0, value: Array(repeating: 7, count: $0)) }
        expectRefused(varying) { $0[22] ^= 1 }
        expectRefused(alike) { $0.append(0) }
    }
}
