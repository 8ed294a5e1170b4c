import Foundation
import Shale
import ShaleBase
import ShaleFoundation
import ShalePlatform
import TestSupport
import Testing

/// Handmade archives: a hostile archive must be refused before any object is made.
@Suite struct HostileArchiveTests {
    private static func object(_ className: Int, _ fields: [String: ArchivePart] = [:]) -> ArchivePart {
        .dictionary(fields.merging(["$class": .reference(className)]) { old, _ in old })
    }

    private static func described(_ name: String) -> ArchivePart {
        .dictionary(["$classname": .value(.string(name)), "$classes": .array([.value(.string(name))])])
    }

    private static func list(_ references: Int...) -> ArchivePart { .array(references.map { .reference($0) }) }

    /// Returns the outcome of reading an archive with these objects after `$null`; the first object is the root.
    private static func outcome(
        _ objects: [ArchivePart], root: ArchivePart = .reference(1), archiver: String = "NSKeyedArchiver"
    ) throws -> StorageError.Code? {
        let archive: ArchivePart = .dictionary([
            "$archiver": .value(.string(archiver)), "$version": .value(.int(100_000)),
            "$top": .dictionary(["root": root]),
            "$objects": .array([.value(.string("$null"))] + objects),
        ])
        let bytes = Data(try BinaryPropertyListWriter.bytes(archive))
        return code { () throws(StorageError) in
            _ = try KeyedArchive(bytes.bytes).tree
            _ = try ObjectArchive.decode(NSObject.self, bytes, [Chain.self, Animal.self])
        }
    }

    @Test func aSoundArchiveIsRead() throws {
        let objects = [Self.object(2, ["NS.objects": Self.list(3, 3)]), Self.described("NSArray"), .value(.int(1))]
        #expect(try Self.outcome(objects) == nil)
    }

    @Test func theFrameIsChecked() throws {
        #expect(try Self.outcome([.value(.int(1))], archiver: "Other") == .corruption)
        #expect(try Self.outcome([.value(.int(1))], root: .value(.int(1))) == .corruption)
        #expect(try Self.outcome([.value(.int(1))], root: .reference(2)) == .corruption)
        #expect(try Self.outcome([.value(.int(1))], root: .reference(0)) == .typeMismatch)
        #expect(try Self.outcome([Self.described("NSArray")]) == .corruption)
    }

    @Test func referencesOutOfRangeAreRefused() throws {
        #expect(
            try Self.outcome([Self.object(2, ["NS.objects": Self.list(9)]), Self.described("NSArray")]) == .corruption)
        #expect(try Self.outcome([Self.object(9)]) == .corruption)
        #expect(try Self.outcome([Self.object(2), .value(.int(1))]) == .corruption)
        #expect(
            try Self.outcome([Self.object(2, ["next": .reference(2)]), Self.described("ArchiveTests.Chain")])
                == .corruption)
    }

    @Test func cyclesAreRefused() throws {
        let chain = Self.described("ArchiveTests.Chain")
        #expect(try Self.outcome([Self.object(2, ["next": .reference(1)]), chain]) == .corruption)
        #expect(
            try Self.outcome([Self.object(2, ["next": .reference(3)]), chain, Self.object(2, ["next": .reference(1)])])
                == .corruption)
    }

    @Test func bombsAreRefused() throws {
        let array = Self.described("NSArray")
        let levels = (0..<30).map { Self.object(1 + 32, ["NS.objects": Self.list($0 + 2, $0 + 2)]) }
        #expect(try Self.outcome(levels + [.value(.int(1)), .value(.int(1)), array]) == .corruption)
    }

    @Test func dictionariesNeedAsManyValuesAsKeys() throws {
        let objects = [
            Self.object(2, ["NS.keys": Self.list(3), "NS.objects": Self.list(3, 3)]), Self.described("NSDictionary"),
            .value(.string("k")),
        ]
        #expect(try Self.outcome(objects) == .corruption)
    }

    @Test func valuesNeedTheirFields() throws {
        for name in ["NSString", "NSData", "NSNumber", "NSDate", "NSUUID", "NSURL", "NSDictionary"] {
            #expect(try Self.outcome([Self.object(2), Self.described(name)]) == .corruption, "\(name)")
        }
        #expect(
            try Self.outcome([Self.object(2, ["NS.object.1": .reference(0)]), Self.described("NSArray")])
                == .corruption)
    }

    @Test func aDateIsANumber() throws {
        let date = { (seconds: Double) in
            [Self.object(2, ["NS.time": .value(.double(seconds))]), Self.described("NSDate")]
        }
        #expect(try Self.outcome(date(-3)) == nil)
        #expect(try Self.outcome(date(.nan)) == .corruption)
    }

    @Test func classesThatAreNotListedAreRefusedByName() throws {
        for name in ["NSProcessInfo", "ArchiveTests.Dog", "", "So9", "_Tt", "a.b.c"] {
            let expected: StorageError.Code = name.isEmpty ? .corruption : .typeMismatch
            #expect(try Self.outcome([Self.object(2), Self.described(name)]) == expected, "\(name)")
        }
    }

    @Test func aNilWhereNoneMayBeIsRefused() throws {
        let objects = [
            Self.object(2, ["NS.keys": Self.list(3), "NS.objects": Self.list(0)]), Self.described("NSDictionary"),
            .value(.string("k")),
        ]
        #expect(try Self.outcome(objects) == .corruption)
    }

    @Test func fieldsOfAnotherKindAreATypeMismatch() throws {
        let animal = Self.described("ArchiveTests.Animal")
        #expect(try Self.outcome([Self.object(2, ["name": .value(.string("plain"))]), animal]) == .typeMismatch)
        #expect(try Self.outcome([Self.object(2, ["name": .reference(3)]), animal, .value(.int(1))]) == .typeMismatch)
        #expect(try Self.outcome([Self.object(2), animal]) == .codecFailure)
    }
}

/// Reading a damaged archive ends with a value or an error, whatever part is damaged.
@Suite struct ArchiveMutationTests {
    private static let errors: Set<StorageError.Code> = [.corruption, .typeMismatch, .codecFailure]

    /// Returns a copy of an archive with some bytes changed, moved or cut off.
    static func mutated(_ original: [UInt8], _ random: SeededRandom) -> [UInt8] {
        var bytes = original
        for _ in 0...random.below(4) {
            let at = random.below(bytes.count)
            switch random.below(4) {
            case 0: bytes[at] = UInt8(random.below(256))
            case 1: bytes[at] ^= 1 << UInt8(random.below(8))
            case 2: bytes[at] = bytes[random.below(bytes.count)]
            default: bytes[at] = bytes[at] &+ (random.chance(0.5) ? 1 : 255)
            }
        }
        if random.chance(0.02) { bytes.removeLast(random.below(bytes.count)) }
        return bytes
    }

    @Test func mutatedArchivesEndInAValueOrAnError() throws {
        let originals = [
            [UInt8](try ObjectArchive.encode(Everything())), [UInt8](try ObjectArchive.encode(Chain.ofLength(5))),
            [UInt8](try ObjectArchive.encode(NSArray(array: [1, "a", ["k": Data([1])]]))),
        ]
        let random = SeededRandom(seed: Ring.seed)
        let turns = Ring.choose(commit: 3000, nightly: 500_000, release: 1_000_000)
        var readCount = 0
        for turn in 0..<turns {
            let bytes = Data(Self.mutated(originals[turn % originals.count], random))
            let found = code { () throws(StorageError) in
                _ = try KeyedArchive(bytes.bytes).tree
                _ = try ObjectArchive.decode(
                    NSObject.self, bytes, [Everything.self, Animal.self, Dog.self, Chain.self])
            }
            if let found {
                #expect(Self.errors.contains(found), "\(Ring.reproduction) turn=\(turn)")
            } else {
                readCount += 1
            }
        }
        Ring.covered(turns, "mutated archives", "\(readCount) still readable")
        #expect(readCount > turns / 30, "most damage is noticed at once; some must get further")
    }
}
