import ShaleBase
import ShaleEngine
import ShalePlatform
import TestSupport
import Testing

/// Counts of sources that have no keys of a range between each other's are added.
@Suite struct CountApartTests {
    private static let groups = 5
    private static let perRound = 400
    private static let value = String(repeating: "v", count: 100)

    private func key(_ group: Int, _ number: Int) -> String { "g\(group)-\(100_000 + number)" }

    private func range(_ group: Int) -> KeyRange { .prefix(Array("g\(group)-".utf8)) }

    /// Each round adds larger numbers to each group. All rounds but the last one are flushed, each into a segment.
    private func filled(rounds: Int, _ flushesLast: Bool = false) throws -> (TestStore, NamespaceID) {
        let store = try TestStore { $0.memtableBytes = 1 << 20 }
        let namespace = try store.namespace("n")
        for round in 0..<rounds {
            for group in 0..<Self.groups {
                for number in 0..<Self.perRound {
                    try store.put(key(group, round * Self.perRound + number), Self.value, in: namespace)
                }
            }
            if flushesLast || round < rounds - 1 { try store.engine.flush() }
        }
        return (store, namespace)
    }

    private func expectSameAsScan(
        _ store: TestStore, _ namespace: NamespaceID, _ range: KeyRange, at snapshot: Engine.Snapshot? = nil
    ) throws {
        let scanned = try store.scan(namespace, range, at: snapshot).count
        #expect(try store.engine.count(over: range, in: namespace, at: snapshot) == scanned, "\(range)")
    }

    @Test(arguments: [false, true]) func ascendingKeysAreCountedWithoutReadingTheirBlocks(_ flushesLast: Bool) throws {
        let (store, namespace) = try filled(rounds: 3, flushesLast)
        func blocksRead() -> UInt64 { store.engine.statistics.cacheHits + store.engine.statistics.cacheMisses }
        for group in 0..<Self.groups {
            _ = try store.engine.count(over: range(group), in: namespace)
            let before = blocksRead()
            #expect(try store.engine.count(over: range(group), in: namespace) == 3 * Self.perRound)
            // The ends of the range in each of three segments, of about ten blocks each.
            #expect(blocksRead() - before <= 15)
            try expectSameAsScan(store, namespace, range(group))
        }
    }

    @Test func aKeyInTwoSourcesCountsOnce() throws {
        let (store, namespace) = try filled(rounds: 2)
        let before = store.engine.snapshot()
        try store.put(key(0, 0), "again", in: namespace)
        try store.delete(key(1, Self.perRound - 1), in: namespace)
        try store.delete(key(2, Self.perRound), in: namespace)
        try store.put(key(3, Self.perRound * 2 - 1), "again", in: namespace)
        try store.delete(key(4, Self.perRound * 2), in: namespace)
        let count = 2 * Self.perRound
        for (group, expected) in [count, count - 1, count - 1, count, count].enumerated() {
            #expect(try store.engine.count(over: range(group), in: namespace) == expected)
            #expect(try store.engine.count(over: range(group), in: namespace, at: before) == count)
        }
        try store.engine.truncate([namespace])
        try store.put(key(0, Self.perRound * 3), "new", in: namespace)
        #expect(try store.engine.count(over: range(0), in: namespace) == 1)
        #expect(try store.engine.count(over: range(0), in: namespace, at: before) == count)
        withExtendedLifetime(before) {}
    }

    /// Many deletes outside the base lead to a walk at once.
    @Test(arguments: [false, true]) func keysThatMoveToAnotherGroupAreCountedThere(_ flushes: Bool) throws {
        let (store, namespace) = try filled(rounds: 2, flushes)
        let before = store.engine.snapshot()
        for group in 0..<Self.groups {
            for number in stride(from: 0, to: Self.perRound, by: 2) {
                try store.delete(key(group, number), in: namespace)
                try store.put(key((group + 1) % Self.groups, 3 * Self.perRound + number), Self.value, in: namespace)
            }
            if flushes { try store.engine.flush() }
        }
        for group in 0..<Self.groups {
            #expect(try store.engine.count(over: range(group), in: namespace) == 2 * Self.perRound)
            try expectSameAsScan(store, namespace, range(group))
            try expectSameAsScan(store, namespace, range(group), at: before)
        }
        try expectSameAsScan(store, namespace, .all)
        withExtendedLifetime(before) {}
    }

    @Test(arguments: 1...6) func countsAgreeWithScansWhateverIsFlushed(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let store = try TestStore { $0.memtableBytes = 1 << 20 }
        let namespace = try store.namespace("n")
        var next = 0
        var snapshots: [Engine.Snapshot] = []
        for _ in 0..<60 {
            for _ in 0..<Int.random(in: 1...80, using: &random) {
                // Most keys ascend; some are those of earlier ones.
                let isNew = Int.random(in: 0..<100, using: &random) < 97
                let number = isNew ? next : Int.random(in: 0...next, using: &random)
                next += 1
                let name = key(number % 3, number)
                switch Int.random(in: 0..<20, using: &random) {
                case 0: try store.delete(name, in: namespace)
                case 1: try store.put(name, Self.value, in: namespace, options: PutOptions(isPurgeable: true))
                default: try store.put(name, Self.value, in: namespace)
                }
            }
            switch Int.random(in: 0..<24, using: &random) {
            case 0..<8: try store.engine.flush()
            case 8: try store.engine.compact()
            case 9: try store.engine.purge([namespace])
            case 10: snapshots.append(store.engine.snapshot())
            default: break
            }
            let from = Int.random(in: 0...next, using: &random)
            let part = KeyRange(
                lower: .included(Array(key(next % 3, from).utf8)),
                upper: .included(Array(key(next % 3, Int.random(in: from...next, using: &random)).utf8)))
            for range in [range(next % 3), part, .all] {
                try expectSameAsScan(store, namespace, range)
                if let snapshot = snapshots.last { try expectSameAsScan(store, namespace, range, at: snapshot) }
            }
        }
    }
}
