import ShaleBase
import ShaleMemtable
import ShalePlatform
import Testing

@Suite struct MemtableEdgeTests {
    @Test func anEmptyMemtableHasNoKeysAndEndedCursors() throws {
        let memtable = Memtable(arena: try Arena(capacity: 1 << 20))
        #expect(try memtable.scan(from: nil, .forward).isEmpty)
        #expect(try memtable.scan(from: [1, 2, 3], .backward).isEmpty)
        #expect(memtable.get([0, 0, 0, 1], through: Trailer.sequenceMax) == nil)
        #expect(memtable.smallestKey == nil)
        #expect(memtable.largestKey == nil)
        #expect(memtable.firstSequence == 0)
        #expect(memtable.lastSequence == 0)
    }

    @Test func theEmptyUserKeyIsAKey() throws {
        var model = try MemtableModel()
        model.insert([], value: [1])
        model.insert([0], value: [2])
        model.insert([], namespace: 2, value: [3])
        #expect(try model.memtable.scan(from: nil, .forward) == model.sorted)
        #expect(model.memtable.get([0, 0, 0, 1], through: 9)?.value == [1])
    }

    @Test(arguments: [false, true])
    func aNodeHoldsAnyNumberOfChildren(hasEnd: Bool) throws {
        var random = SeededRandom(seed: testSeed ^ 3)
        let bytes = (0..<256).map { UInt8($0) }.shuffled(using: &random)
        var model = try MemtableModel()
        if hasEnd { model.insert([9, 9, 9, 9, 9, 9]) }
        for (count, byte) in bytes.enumerated() {
            model.insert([9, 9, 9, 9, 9, 9, byte])
            let sorted = model.sorted
            #expect(try model.memtable.scan(from: nil, .forward) == sorted, "after \(count + 1) children")
            #expect(try model.memtable.scan(from: nil, .backward) == sorted.reversed(), "after \(count + 1) children")
            #expect(model.memtable.get([0, 0, 0, 1, 9, 9, 9, 9, 9, 9, byte], through: 999) != nil)
        }
    }

    @Test func everyPrefixOfALongKeyIsAKeyOfItsOwn() throws {
        var model = try MemtableModel(capacity: 300 << 20)
        let long = [UInt8](repeating: 0xff, count: 16_384)
        for count in stride(from: 16_384, through: 0, by: -128) { model.insert(Array(long.prefix(count))) }
        for count in 1000..<1100 { model.insert(Array(long.prefix(count))) }
        let sorted = model.sorted
        #expect(try model.memtable.scan(from: nil, .forward) == sorted)
        #expect(try model.memtable.scan(from: nil, .backward) == sorted.reversed())
    }

    @Test(arguments: [2, 31, 32, 33, 1000])
    func aRunNeverMixesUpVersions(count: Int) throws {
        var model = try MemtableModel()
        model.insert([1])
        for index in 0..<count { model.insert([2], value: [UInt8(truncatingIfNeeded: index)]) }
        model.insert([3])
        let sorted = model.sorted
        #expect(try model.memtable.scan(from: nil, .forward) == sorted)
        #expect(try model.memtable.scan(from: nil, .backward) == sorted.reversed())
        for version in model.versions where version.key.last == 2 {
            #expect(model.memtable.get(version.key, through: version.trailer.sequence) == version)
        }
        #expect(model.memtable.get([0, 0, 0, 1, 2], through: 1) == nil)
    }

    @Test func aCursorKeepsItsMemtableAlive() throws {
        var model: MemtableModel? = try MemtableModel()
        model?.insert([1, 2, 3], value: [4])
        let cursor = model?.memtable.makeCursor(headOffset: 0)
        model = nil
        try cursor?.seek(nil, .forward)
        #expect(try cursor?.rest().first?.value == [4])
    }
}
