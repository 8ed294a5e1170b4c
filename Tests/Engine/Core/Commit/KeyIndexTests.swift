import ShalePlatform
import TestSupport
import Testing

@testable import ShaleBase
@testable import ShaleEngine

/// The index over the keys that a transaction has read or written.
@Suite struct KeyIndexTests {
    @Test func everyKeyIsFoundUnderItsNumber() {
        let random = SeededRandom(seed: Ring.seed &+ 71)
        for count in [1, 8, 9, 500] {
            var index = KeyIndex()
            var offsets: [Int] = []
            // Few hashes, so that most of them are shared.
            let hash = { (offset: Int) in UInt64(offset % 7) &* 0x1_0000_0001 }
            for number in 0..<count {
                let offset = number * 3 + random.below(2)
                #expect(index.number(hash(offset)) { $0 == offset } == nil, "seed \(random.seed)")
                index.append(hash(offset), offset)
                offsets.append(offset)
            }
            #expect(index.count == count)
            for (number, offset) in offsets.enumerated() {
                #expect(index.number(hash(offset)) { $0 == offset } == number, "seed \(random.seed)")
                #expect(index.number(hash(offset) &+ 1) { $0 == offset } == nil)
            }
            index[count - 1] = 77
            #expect(index[count - 1] == 77)
        }
    }

    /// XXH3 multiplies the first word of these keys, which its public secret makes 0, with the second.
    @Test func keysThatAnAttackerMadeCollideInXXH3HaveDifferentHashes() {
        var keys: [[UInt8]] = (0..<1000).map { (number: UInt64) in
            [XXH3Secret.word(0), number, 1, 2].flatMap { word in
                (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
            }
        }
        #expect(Set(keys.map { $0.withBytes { XXH3.hash($0) } }).count == 1)
        keys += (0..<100).map { [UInt8](repeating: 0, count: $0) }
        let hashes = { (index: KeyIndex) in
            [1, 2].flatMap { (namespace: UInt32) in
                keys.map { $0.withBytes { index.hash(NamespaceID(rawValue: namespace), $0) } }
            }
        }
        let random = SeededRandom(seed: Ring.seed &+ 73)
        let first = hashes(KeyIndex(KeyHasher(random: random)))
        #expect(Set(first).count == 2 * keys.count, "seed \(random.seed)")
        let second = hashes(KeyIndex(KeyHasher(random: random)))
        #expect(!zip(first, second).contains { $0 == $1 }, "seed \(random.seed)")
        #expect(hashes(KeyIndex()) == hashes(KeyIndex()))
    }

    @Test func aKeyThatIsReadTwiceIsCheckedOnce() throws {
        var keys = ReadKeys()
        let names = (0..<40).map { Array("key \($0)".utf8) }
        for _ in 0..<2 {
            for namespace in [1, 2] as [UInt32] {
                for name in names { name.withBytes { keys.insert(NamespaceID(rawValue: namespace), $0) } }
            }
        }
        var found: [[UInt8]] = []
        try keys.forEach { (key) in found.append(key.array()) }
        let expected = ([1, 2] as [UInt8]).flatMap { (namespace) -> [[UInt8]] in
            names.map { [0, 0, 0, namespace] + $0 }
        }
        #expect(found == expected)
    }
}
