import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// A cursor that is moved keeps its sequence, range and order, wherever it was.
@Suite struct SeekTests {
    private static let count = 3000

    private func filled() throws -> (TestStore, NamespaceID) {
        let store = try TestStore()
        store.files.recordsOperations = false
        let (before, ns, after) = (try store.namespace("a"), try store.namespace("n"), try store.namespace("z"))
        try store.put("key", "another", in: before)
        try store.put("key", "another", in: after)
        // Even numbers; some have several versions, some are deleted.
        for i in 0..<SeekTests.count { try store.put(SeekTests.key(2 * i), "first \(i)", in: ns) }
        for i in stride(from: 0, to: SeekTests.count, by: 5) { try store.delete(SeekTests.key(2 * i), in: ns) }
        for i in stride(from: 0, to: SeekTests.count, by: 7) { try store.put(SeekTests.key(2 * i), "new \(i)", in: ns) }
        return (store, ns)
    }

    private static func copy(_ span: RawSpan) -> [UInt8] { unsafe span.withUnsafeBytes { unsafe [UInt8]($0) } }

    private static func isEqual(_ cursor: borrowing Engine.Cursor, _ entry: (key: [UInt8], value: [UInt8])) -> Bool {
        copy(cursor.key) == entry.key && copy(cursor.value) == entry.value
    }

    private static func key(_ i: Int) -> String { "key\(100_000 + i)" }

    private static let ranges: [KeyRange] = [
        .all, .prefix(Array("key1".utf8)),
        KeyRange(lower: .included(Array(key(1000).utf8)), upper: .excluded(Array(key(1900).utf8))),
        KeyRange(lower: .excluded(Array(key(998).utf8)), upper: .included(Array(key(4001).utf8))),
        KeyRange(lower: .included(Array(key(3000).utf8)), upper: .excluded(Array(key(3000).utf8))),
    ]

    @Test(arguments: 0..<5, [ScanOrder.forward, .reversed])
    func aSeekStandsWhereASortedListWould(_ range: Int, _ order: ScanOrder) throws {
        let (store, ns) = try filled()
        let random = SeededRandom(seed: UInt64(range) * 2 + (order == .forward ? 0 : 1))
        let expected = try store.engine.entries(over: SeekTests.ranges[range], in: ns, order: order)
        var cursor = try store.engine.cursor(over: SeekTests.ranges[range], in: ns, order: order)
        for _ in 0..<600 {
            let target = Array(SeekTests.key(Int(random.next() % UInt64(2 * SeekTests.count + 200)) - 100).utf8)
            try cursor.seek(to: target)
            let isEmpty = cursor.key.byteCount == 0
            #expect(isEmpty)
            var position =
                expected.firstIndex {
                    order == .forward
                        ? !$0.key.lexicographicallyPrecedes(target) : !target.lexicographicallyPrecedes($0.key)
                } ?? expected.count
            // Mostly short walks, some past a block, some to the end, some of no step.
            var steps = [0, 1, 12, 200][Int(random.next() % 4)]
            if random.next() % 100 == 0 { steps = .max }
            while steps > 0 {
                steps -= 1
                let isThere = try cursor.next()
                #expect(isThere == (position < expected.count))
                guard isThere, position < expected.count else { break }
                let isEqual = SeekTests.isEqual(cursor, expected[position])
                #expect(isEqual)
                if !isEqual { return }
                position += 1
            }
        }
    }

    @Test(arguments: [ScanOrder.forward, .reversed])
    func aSeekSeesTheCursorsMomentThroughEveryChangeOfTheView(_ order: ScanOrder) throws {
        let (store, ns) = try filled()
        let expected = try store.engine.entries(in: ns, order: order)
        var cursor = try store.engine.cursor(in: ns, order: order)
        for round in 0..<12 {
            for i in stride(from: round, to: 2 * SeekTests.count, by: 5) {
                try store.put(SeekTests.key(i), "later \(round)", in: ns)
            }
            switch round % 3 {
            case 0: try store.engine.flush()
            case 1: try store.engine.compact()
            default: try store.engine.truncate([ns])
            }
            let first = round * expected.count / 12
            try cursor.seek(to: expected[first].key)
            // After the last round's seek, the walk continues across the regular check of the view.
            for entry in expected[first...].prefix(round == 11 ? .max : 40) {
                let isThere = try cursor.next()
                let isEqual = isThere && SeekTests.isEqual(cursor, entry)
                #expect(isEqual)
                if !isEqual { return }
            }
        }
    }

    @Test func aSeekMayGoToTheCursorsOwnKeyAndRestartsAnEndedWalk() throws {
        let (store, ns) = try filled()
        var cursor = try store.engine.cursor(in: ns)
        var last: [UInt8] = []
        while try cursor.next() { last = SeekTests.copy(cursor.key) }
        let isOver = try !cursor.next()
        #expect(isOver)
        try cursor.seek(to: last)
        #expect(try cursor.next())
        for _ in 0..<3 {
            // The key is borrowed from memory that the seek changes.
            let own = unsafe cursor.key.withUnsafeBytes { unsafe $0 }
            try unsafe cursor.seek(to: RawSpan(_unsafeBytes: own))
            #expect(try cursor.next())
            #expect(SeekTests.copy(cursor.key) == last)
        }
        let isOverAgain = try !cursor.next()
        #expect(isOverAgain)
    }

    @Test func aFailedReadEndsTheWalkUntilASeekThatSucceeds() throws {
        let (store, ns) = try filled()
        try store.engine.compact()
        try store.reopen()
        let tooLong = [UInt8](repeating: 7, count: FormatLimits.keyBytes + 1)
        var cursor = try store.engine.cursor(in: ns)
        #expect(try cursor.next())
        #expect(throws: StorageError.self) { try cursor.seek(to: tooLong) }
        #expect(throws: StorageError.self) { try cursor.next() }
        try cursor.seek(to: Array(SeekTests.key(2).utf8))
        #expect(try cursor.next())

        store.files.inject(FaultRule(on: [.read], path: "segments/*", when: .always, repeatsForever: true, .error(5)))
        var failed = false
        for i in stride(from: 0, to: 2 * SeekTests.count, by: 100) where !failed {
            do {
                try cursor.seek(to: Array(SeekTests.key(i).utf8))
            } catch {
                failed = true
            }
        }
        #expect(failed)
        #expect(throws: StorageError.self) { try cursor.next() }
        store.files.removeFaultRules()
        try cursor.seek(to: Array(SeekTests.key(2).utf8))
        #expect(try cursor.next())
        #expect(SeekTests.copy(cursor.key) == Array(SeekTests.key(2).utf8))
    }

    @Test func aSeekInADroppedNamespaceThrows() throws {
        let (store, ns) = try filled()
        var cursor = try store.engine.cursor(in: ns)
        #expect(try cursor.next())
        try store.engine.drop([ns])
        #expect(throws: StorageError.self) { try cursor.seek(to: Array(SeekTests.key(2).utf8)) }
    }

    /// Idle scans between uses must not keep replaced files.
    @Test func restingScansKeepNoFiles() throws {
        let (store, ns) = try filled()
        for _ in 0..<5 { _ = try store.engine.entries(in: ns, limit: 20) }
        for round in 0..<4 {
            for i in 0..<SeekTests.count { try store.put(SeekTests.key(i), "again \(round)", in: ns) }
            try store.engine.compact()
            // A thread of another test may still be pinned in the process's shared epoch domain; a scan would keep the
            // old view forever. This engine has no threads, so it does not collect by itself.
            let isLetGo = try eventually {
                try store.engine.core.obsoleteFiles.collect()
                return store.engine.statistics.heldBytes == 0
            }
            #expect(isLetGo)
            _ = try store.engine.entries(in: ns, limit: 20)
            #expect(store.engine.statistics.snapshots == 0)
        }
    }
}
