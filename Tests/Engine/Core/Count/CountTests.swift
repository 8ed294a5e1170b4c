import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// The number of entries is exact, and is read from indexes where possible.
@Suite struct CountTests {
    private static let count = 3000

    private func filled() throws -> (TestStore, NamespaceID) {
        let store = try TestStore()
        let namespace = try store.namespace("n")
        for index in 0..<Self.count { try store.put(key(index), "value \(index)", in: namespace) }
        try store.engine.compact()
        return (store, namespace)
    }

    private func key(_ index: Int) -> String { "k\(10_000 + index)" }

    /// Returns a count, after comparing it with a scan, and the number of file system calls that it took.
    private func counted(
        _ store: TestStore, _ namespace: NamespaceID, _ range: KeyRange = .all, at snapshot: Engine.Snapshot? = nil
    ) throws -> (count: Int, calls: Int) {
        let before = store.files.operationCount
        let count = try store.engine.count(over: range, in: namespace, at: snapshot)
        let calls = store.files.operationCount - before
        #expect(try store.scan(namespace, range, at: snapshot).count == count, "\(range)")
        return (count, calls)
    }

    @Test func aCompactedNamespaceIsCountedWithoutReadingIt() throws {
        let (store, namespace) = try filled()
        #expect(try counted(store, namespace).count == Self.count)
        try store.reopen()
        // The first count loads the indexes.
        #expect(try store.engine.count(in: namespace) == Self.count)
        let before = store.files.operationCount
        #expect(try store.engine.count(in: namespace) == Self.count)
        #expect(store.files.operationCount == before)
        let statistics = store.engine.statistics
        // No block was read since the store was opened.
        #expect(statistics.cacheHits == 0 && statistics.cacheMisses == 0)
    }

    @Test func aRangeReadsItsEndsOnly() throws {
        let (store, namespace) = try filled()
        _ = try store.engine.count(in: namespace)
        for (from, to) in [(0, 3000), (1, 2999), (777, 2222), (1500, 1501), (5, 5), (9, 3)] {
            let range = KeyRange(
                lower: .included(Array(key(from).utf8)), upper: .excluded(Array(key(to).utf8)))
            let (count, calls) = try counted(store, namespace, range)
            #expect(count == max(0, to - from))
            #expect(calls <= 4, "two blocks at most")
        }
        #expect(try counted(store, namespace, .prefix(Array("k11".utf8))).count == 1000)
        #expect(try counted(store, namespace, .prefix([])).count == Self.count)
        #expect(try counted(store, namespace, .prefix(Array("x".utf8))).count == 0)
    }

    @Test func entriesWrittenSinceAreLookedUp() throws {
        let (store, namespace) = try filled()
        // First in a memtable, then in a segment above the others: some keys are new, some exist, some are deleted,
        // some are written twice.
        for round in 0..<2 {
            for index in stride(from: 7, to: Self.count, by: 300) { try store.put(key(index), "again", in: namespace) }
            for index in stride(from: 8, to: Self.count, by: 300) { try store.delete(key(index), in: namespace) }
            for index in 0..<10 { try store.put("k1\(index)-new\(round)", "new", in: namespace) }
            try store.delete("missing", in: namespace)
            #expect(try counted(store, namespace).count == Self.count - 10 + 10 * (round + 1))
            try store.engine.flush()
            #expect(try counted(store, namespace).count == Self.count - 10 + 10 * (round + 1))
        }
        try store.engine.compact()
        #expect(try counted(store, namespace).count == Self.count + 10)
        let statistics = try store.engine.statistics(of: namespace)
        #expect(statistics.keyCountMax == UInt64(Self.count + 10))
    }

    @Test func aSnapshotCountsWhatItSees() throws {
        let (store, namespace) = try filled()
        let old = store.engine.snapshot()
        for index in 0..<1000 { try store.put(key(index), "again", in: namespace) }
        for index in 1000..<1500 { try store.delete(key(index), in: namespace) }
        for index in 0..<500 { try store.put("z\(index)", "new", in: namespace) }
        // Blocks now hold several versions, of which the snapshot and the present see different ones.
        try store.engine.compact()
        #expect(try counted(store, namespace, at: old).count == Self.count)
        #expect(try counted(store, namespace).count == Self.count)
        try store.engine.truncate([namespace])
        #expect(try counted(store, namespace).count == 0)
        #expect(try counted(store, namespace, at: old).count == Self.count)
        try store.engine.compact()
        #expect(try counted(store, namespace, at: old).count == Self.count)
        withExtendedLifetime(old) {}
    }

    @Test func purgedAndExpiredEntriesAreNotCounted() throws {
        let store = try TestStore()
        let namespace = try store.namespace("n")
        let start = store.time.wallMilliseconds
        // A third stays, a third is purgeable, a third expires, in runs and mixed.
        for index in 0..<Self.count {
            let kind = index < Self.count / 2 ? index * 6 / Self.count : index % 3
            var options = PutOptions()
            if kind == 1 { options.isPurgeable = true }
            if kind == 2 { options.expiresAtMilliseconds = start + 1000 }
            try store.put(key(index), "value", in: namespace, options: options)
        }
        try store.engine.compact()
        #expect(try counted(store, namespace).count == Self.count)
        let before = store.engine.snapshot()
        try store.engine.purge([namespace])
        #expect(try counted(store, namespace).count == Self.count * 2 / 3)
        store.time.advance(milliseconds: 999)
        #expect(try counted(store, namespace).count == Self.count * 2 / 3)
        store.time.advance(milliseconds: 1)
        #expect(try counted(store, namespace).count == Self.count / 3)
        #expect(try counted(store, namespace, at: before).count == Self.count)
        withExtendedLifetime(before) {}
    }

    @Test func namespacesAreCountedApartAndDroppedOnesAreErrors() throws {
        let store = try TestStore()
        let namespaces = try (0..<20).map { try store.namespace("n\($0)") }
        for (index, namespace) in namespaces.enumerated() {
            for number in 0..<(index * 10) { try store.put("\(number)", "v", in: namespace) }
        }
        for _ in 0..<2 {
            for (index, namespace) in namespaces.enumerated() {
                #expect(try counted(store, namespace).count == index * 10)
            }
            try store.engine.compact()
        }
        try store.engine.drop([namespaces[3]])
        #expect(throws: StorageError.self) { try store.engine.count(in: namespaces[3]) }
    }

    @Test func unflushedEntriesAreCountedInTheirMemtable() throws {
        let store = try TestStore { $0.memtableBytes = 1 << 20 }
        let namespace = try store.namespace("n")
        let start = store.time.wallMilliseconds
        for index in 0..<1000 { try store.put(key(index), "v", in: namespace) }
        #expect(try counted(store, namespace).count == 1000)
        #expect(try counted(store, namespace, .prefix(Array("k100".utf8))).count == 100)
        let plain = store.engine.snapshot()
        for index in 0..<500 { try store.put(key(index * 3), "again", in: namespace) }
        let puts = store.engine.snapshot()
        for index in 0..<100 { try store.delete(key(index), in: namespace) }
        for index in 500..<600 {
            try store.put(key(index), "v", in: namespace, options: PutOptions(isPurgeable: true))
            try store.put(
                key(index + 200), "v", in: namespace, options: PutOptions(expiresAtMilliseconds: start + 1000))
        }
        func expect(_ count: Int) throws {
            #expect(try counted(store, namespace).count == count)
            #expect(try counted(store, namespace, at: plain).count == 1000)
            #expect(try counted(store, namespace, at: puts).count == 1166)
        }
        try expect(1066)
        store.time.advance(milliseconds: 1000)
        try expect(966)
        try store.engine.purge([namespace])
        try expect(866)
        try store.engine.truncate([namespace])
        try expect(0)
        for index in 0..<10 { try store.put(key(index), "v", in: namespace) }
        try expect(10)
        withExtendedLifetime((plain, puts)) {}
    }

    /// Half of the keys are in a segment, the others in the memtable between them.
    private func interleaved() throws -> (TestStore, NamespaceID) {
        let store = try TestStore { $0.memtableBytes = 1 << 20 }
        let namespace = try store.namespace("n")
        let value = String(repeating: "v", count: 100)
        for index in stride(from: 0, to: Self.count, by: 2) { try store.put(key(index), value, in: namespace) }
        try store.engine.compact()
        for index in stride(from: 1, to: Self.count, by: 2) { try store.put(key(index), value, in: namespace) }
        return (store, namespace)
    }

    @Test func newKeysBesideFlushedOnesAreCountedWithoutReadingTheirBlocks() throws {
        let (store, namespace) = try interleaved()
        let range = KeyRange(
            lower: .included(Array(key(100).utf8)), upper: .excluded(Array(key(2900).utf8)))
        func blocksRead() -> UInt64 { store.engine.statistics.cacheHits + store.engine.statistics.cacheMisses }
        _ = try store.engine.count(over: range, in: namespace)
        let before = blocksRead()
        #expect(try store.engine.count(over: range, in: namespace) == 2800)
        // The filter takes a few keys for others, one in a hundred.
        #expect(blocksRead() - before < 50)
        #expect(try counted(store, namespace).count == Self.count)
        #expect(try counted(store, namespace, .prefix(Array("k11".utf8))).count == 1000)
    }

    @Test(arguments: [1, 40, 700])
    func changedKeysBesideFlushedOnesAreCountedRight(_ changes: Int) throws {
        let (store, namespace) = try interleaved()
        let before = store.engine.snapshot()
        // Flushed keys are written again and deleted, and so are keys of the memtable.
        for index in 0..<changes { try store.put(key(index * 4), "again", in: namespace) }
        for index in 0..<changes { try store.delete(key(index * 4 + 2), in: namespace) }
        for index in 0..<changes { try store.delete(key(index * 4 + 1), in: namespace) }
        #expect(try counted(store, namespace).count == Self.count - 2 * changes)
        #expect(try counted(store, namespace, at: before).count == Self.count)
        for prefix in ["k10", "k115", "k12999"] { _ = try counted(store, namespace, .prefix(Array(prefix.utf8))) }
        try store.engine.truncate([namespace])
        #expect(try counted(store, namespace).count == 0)
        #expect(try counted(store, namespace, at: before).count == Self.count)
        withExtendedLifetime(before) {}
    }

    @Test func aMomentBesideAWriterHasOneCount() throws {
        let store = try TestStore(scheduling: .threads) { $0.memtableBytes = 1 << 20 }
        let namespace = try store.namespace("n")
        let engine = store.engine
        let differences = Locked<[String]>([])
        try ParallelWork.run(2, threads: 2, poll: {}) { (worker, _) throws(StorageError) in
            for index in 0..<(worker == 1 ? 100 : 1500) {
                guard worker == 1 else {
                    let key = Array("k\(index * 7919 % 1500)".utf8)
                    try unsafe engine.put(key.span.bytes, forKey: key.span.bytes, in: namespace)
                    continue
                }
                let moment = engine.snapshot()
                let count = try engine.count(in: namespace, at: moment)
                let scanned = try engine.entries(in: namespace, at: moment).count
                if count != scanned { differences.withLock { $0.append("\(count) of \(scanned)") } }
            }
        }
        #expect(differences.withLock { $0 }.isEmpty)
    }
}
