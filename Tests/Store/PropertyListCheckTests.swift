import ShalePlatform
import TestSupport
import Testing

@testable import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Handmade property lists: a hostile list must be refused before Foundation reads it.
@Suite struct PropertyListCheckTests {
    /// Returns a property list of these objects, with one byte for each offset and reference.
    private static func list(_ objects: [[UInt8]], top: UInt8 = 0) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        let table = UInt8(bytes.count)
        bytes += offsets
        bytes += [0, 0, 0, 0, 0, 0, 1, 1]
        for number in [UInt8(objects.count), top, table] { bytes += [0, 0, 0, 0, 0, 0, 0, number] }
        return bytes
    }

    private static func isAccepted(_ bytes: [UInt8]) -> Bool {
        code { () throws(StorageError) in try unsafe BinaryPropertyListChecker.check(bytes.span.bytes) } == nil
    }

    @Test func outputOfTheEncoderIsAccepted() throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        #expect(Self.isAccepted([UInt8](try encoder.encode([PropertyListTests.record]))))
        let texts = (0..<1000).map { "text é \($0)" }
        #expect(Self.isAccepted([UInt8](try encoder.encode(texts))))
        #expect(Self.isAccepted([UInt8](try encoder.encode([UInt64.max, 0]))))
    }

    @Test func everyKnownKindIsAccepted() {
        let objects: [[UInt8]] = [
            [0xa2, 1, 2], [0xd1, 3, 4], [0x08], [0x51, 65], [0x61, 0, 65], [0x09], [0x10, 1], [0x22, 0, 0, 0, 0],
            [0x33] + [UInt8](repeating: 0, count: 8), [0x42, 1, 2], [0x4f, 0x10, 3, 1, 2, 3],
        ]
        #expect(Self.isAccepted(Self.list(objects)))
    }

    @Test func otherKindsAreRefused() {
        let objects: [[UInt8]] = [
            [0xc1, 1], [0x00], [0x0f], [0x15], [0x80, 1], [0xb0], [0x24, 0], [0x30], [0x70], [0xe0], [0xf0], [0xa1, 9],
            [0xd1, 1, 1], [0x45, 1], [0x4f, 0x20, 1], [0x4f, 0x13, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            [0xaf, 0x12, 0x7f, 0xff, 0xff, 0xff], [0x69, 0, 65],
            // Dates that are not numbers.
            [0x33, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0], [0x33, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x37, 0x32],
        ]
        for object in objects { #expect(!Self.isAccepted(Self.list([object, [0x08]])), "\(object)") }
    }

    @Test func cyclesAreRefused() {
        #expect(!Self.isAccepted(Self.list([[0xa1, 0]])))
        #expect(!Self.isAccepted(Self.list([[0xa1, 1], [0xa2, 2, 2], [0xa1, 0]])))
        #expect(Self.isAccepted(Self.list([[0xa2, 1, 1], [0xa2, 2, 2], [0x08]])))
    }

    @Test func bombsAreRefused() {
        let doubling = (0..<40).map { [0xa2, UInt8($0 + 1), UInt8($0 + 1)] as [UInt8] }
        #expect(!Self.isAccepted(Self.list(doubling + [[0x08]])))
    }

    /// Every reference to a string or data costs the reader a copy.
    @Test func sharedContentIsBoundedByWhatItExpandsTo() throws {
        func list(_ references: Int, to content: Int) -> [UInt8] {
            var bytes = Array("bplist00".utf8)
            func word(_ number: Int) -> [UInt8] { (0..<4).reversed().map { UInt8(number >> (8 * $0) & 255) } }
            bytes += [0xaf, 0x12] + word(references) + [UInt8](repeating: 1, count: references)
            let second = bytes.count
            bytes += [0x4f, 0x12] + word(content) + [UInt8](repeating: 7, count: content)
            let table = bytes.count
            bytes += word(8) + word(second) + [0, 0, 0, 0, 0, 0, 4, 1]
            for number in [2, 0, table] { bytes += [0, 0, 0, 0] + word(number) }
            return bytes
        }
        #expect(Self.isAccepted(list(1024, to: 64 << 10)))
        #expect(!Self.isAccepted(list(1025, to: 64 << 10)))
    }

    /// A setter refuses a value that could not be read back.
    @Test func aValueThatExpandsTooFarIsRefusedWhenItIsWritten() throws {
        let text = String(repeating: "a", count: 1 << 20)
        #expect(throws: Never.self) { try CodableCoder.encode([text, text], as: .propertyList) }
        let error = #expect(throws: StorageError.self) {
            try CodableCoder.encode([String](repeating: text, count: 65), as: .propertyList)
        }
        #expect(error?.code == .codecFailure)
    }

    @Test func deepNestingIsRefusedInEitherOrder() {
        func chain(_ count: Int, backwards: Bool) -> [UInt8] {
            var bytes = Array("bplist00".utf8)
            let objects = (0..<count).map { index in
                let next = backwards ? index - 1 : index + 1
                return 0..<count ~= next ? [0xa1, UInt8(next >> 8), UInt8(next & 255)] : [0x08] as [UInt8]
            }
            var offsets: [UInt8] = []
            for object in objects {
                offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)]
                bytes += object
            }
            let table = bytes.count
            bytes += offsets + [0, 0, 0, 0, 0, 0, 2, 2]
            for number in [count, 0, table] { bytes += [0, 0, 0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 255)] }
            return bytes
        }
        for backwards in [false, true] {
            #expect(Self.isAccepted(chain(256, backwards: backwards)))
            #expect(!Self.isAccepted(chain(257, backwards: backwards)))
        }
    }

    @Test func textIsNoPropertyListHere() {
        for text in [
            "", "{ a = b; }", "<?xml version=\"1.0\"?><plist/>", "bplist00", String(repeating: "x", count: 99),
        ] {
            #expect(!Self.isAccepted(Array(text.utf8)))
        }
    }

    @Test func mutatedListsEndInAValueOrAnError() throws {
        let random = SeededRandom(seed: Ring.seed)
        let turns = Ring.choose(commit: 20_000, nightly: 500_000, release: 1_000_000)
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let original = [UInt8](try encoder.encode([PropertyListTests.record]))
        var accepted = 0
        for turn in 0..<turns {
            var bytes = original
            for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            if random.chance(0.1) { bytes.removeLast(random.below(bytes.count)) }
            if Self.isAccepted(bytes) { accepted += 1 }
            let found = code { () throws(StorageError) in
                try unsafe CodableCoder.decode(PropertyListTests.Record.self, bytes.span.bytes, .propertyList)
            }
            #expect(
                found == nil || [.corruption, .codecFailure, .typeMismatch].contains(found),
                "\(Ring.reproduction) turn=\(turn)")
            _ = code { () throws(StorageError) in
                try unsafe CodableCoder.decode(StructuredValue.self, bytes.span.bytes, .propertyList)
            }
            _ = code { () throws(StorageError) in
                try unsafe BinaryPropertyList.storedValue(bytes.span.bytes)
            }
        }
        Ring.covered(turns, "mutated property lists", "\(accepted) still readable")
        #expect(accepted > turns / 20)
    }
}
