import Foundation
import Shale
import ShaleArchive
import ShaleBase
import ShalePlatform
import TestSupport
import Testing

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
