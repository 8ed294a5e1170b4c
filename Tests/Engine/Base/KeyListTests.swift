import ShaleBase
import Testing

/// Keys in one piece of memory.
@Suite struct KeyListTests {
    @Test func keysComeBackAsTheyWereAppended() {
        var list = KeyList()
        let keys: [[UInt8]] = [[1, 2], [], [0xFF], [UInt8](repeating: 7, count: 300)]
        for round in 0..<2 {
            list.removeAll()
            #expect(list.isEmpty && list.count == 0)
            for key in keys {
                if round == 0 { list.append(key) } else { key.withBytes { list.append($0) } }
            }
            #expect(list.count == keys.count)
            for (index, key) in keys.enumerated() { #expect(list.withKey(index) { $0.array() } == key) }
            #expect(list.withBytes { $0.array() } == keys.flatMap(\.self))
        }
    }

    @Test func anInvertedKeyLeavesTheOthers() {
        var list = KeyList()
        list.append([1, 2])
        [UInt8]([0x0F, 0xFF]).withBytes { list.append(inverted: $0) }
        list.append([3])
        #expect((0..<3).map { list.withKey($0) { $0.array() } } == [[1, 2], [0xF0, 0x00], [3]])
    }
}
