import ShaleBase
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// States of a read-only store that are read late, or never: their batches are inserted by the first read.
@Suite struct UnreadStateTests {
    private let store: TestStore
    private let ns: NamespaceID
    private var readOnly: Engine.Options {
        var options = store.options
        options.mode = .readOnly
        return options
    }

    init() throws {
        store = try TestStore()
        ns = try store.namespace("n")
    }

    private func open() throws -> Engine { try TestStore.open(store.files, readOnly) }

    private func write(_ keys: Range<Int>, _ value: String) throws {
        for key in keys { try store.put("key\(key)", value, in: ns) }
    }

    private func values(_ engine: Engine) throws -> [String] {
        try engine.entries(in: ns).map { String(decoding: $0.value, as: UTF8.self) }
    }

    private func value(_ engine: Engine, at snapshot: Engine.Snapshot? = nil) throws -> String? {
        try engine.value(forKey: Array("key1".utf8), in: ns, at: snapshot).map { String(decoding: $0, as: UTF8.self) }
    }

    private var newestLog: String {
        store.files.paths().filter { $0.hasSuffix(".wal") && (store.files.read($0)?.isEmpty == false) }.max() ?? ""
    }

    /// The states are read in any order, after the owner has flushed and deleted their logs.
    @Test(arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
    func aStateThatIsReadLateIsTheOneOfItsRefresh(_ order: [Int]) throws {
        var states = [try open()]
        for round in 1..<4 {
            try write(0..<round * 10, "\(round)")
            states.append(try states[round - 1].refreshed())
            if round != 2 { try store.engine.flush() }
            try write(0..<50, "later")
            if round == 3 { try store.engine.compact() }
        }
        #expect(states.map(\.statistics.lastSequence) == states.map(\.statistics.lastSequence).sorted())
        for index in order {
            let snapshot = states[index].snapshot()
            #expect(snapshot.sequence == states[index].statistics.lastSequence)
            let expected =
                index == 0
                ? []
                : [String](repeating: "\(index)", count: index * 10)
                    + [String](repeating: "later", count: index == 1 ? 0 : 50 - index * 10)
            #expect(try values(states[index]).sorted() == expected.sorted(), "state \(index)")
            #expect(try value(states[index], at: snapshot) == (index == 0 ? nil : "\(index)"))
            #expect(try states[index].count(in: ns) == expected.count)
        }
        try store.engine.close()
    }

    /// Every kind of first read shows the whole state.
    @Test(arguments: 0..<7) func anyFirstReadSeesTheState(_ kind: Int) throws {
        let opened = try open()
        try write(0..<20, "new")
        let state = try opened.refreshed()
        let key = Array("key1".utf8)
        switch kind {
        case 0: #expect(try value(state) == "new")
        case 1: #expect(try state.values(forKeys: [key, key], in: ns) == [Array("new".utf8), Array("new".utf8)])
        case 2: #expect(try state.count(in: ns) == 20)
        case 3: #expect(try values(state).count == 20)
        case 4: #expect(try state.statistics(of: ns).entries == 20)
        case 5:
            var cursor = try state.cursor(in: ns, at: state.snapshot())
            try unsafe cursor.seek(to: key.span.bytes)
            #expect(try cursor.next())
        default:
            try state.checkpoint(at: "/copy")
            var options = readOnly
            options.mode = .openExisting
            let copy = try Engine.open(
                at: "/copy", options: options,
                environment: EngineEnvironment(fileSystem: store.files, random: SeededRandom(seed: 3)))
            #expect(try values(copy).count == 20)
            try copy.close()
        }
        try store.engine.close()
    }

    @Test func aLogThatIsFlushedBeforeAReadIsNeverInserted() throws {
        let opened = try open()
        try write(0..<500, "1")
        let unread = try opened.refreshed()
        #expect(unread.statistics.memtableBytes == opened.statistics.memtableBytes)
        try store.engine.flush()
        let flushed = try unread.refreshed()
        #expect(try values(flushed).count == 500)
        #expect(flushed.statistics.memtableBytes == opened.statistics.memtableBytes)
        #expect(unread.core.followed?.batches.isPending == true)
        try store.engine.close()
    }

    @Test func theMemoryOfInsertedBatchesIsInTheBudget() throws {
        let store = try TestStore(scheduling: .deferred)
        let ns = try store.namespace("n")
        var options = store.options
        options.mode = .readOnly
        let opened = try TestStore.open(store.files, options)
        for key in 0..<160 { try store.put("key\(key)", String(repeating: ".", count: 600), in: ns) }
        var state: Engine? = try opened.refreshed()
        let budget = opened.core.segmentEnvironment.budget
        #expect(budget.charged(for: .memtables) == store.options.memtableBytes)
        #expect(try state?.count(in: ns) == 160)
        let inserted = try #require(state?.statistics.memtableBytes)
        #expect(inserted > store.options.memtableBytes && budget.charged(for: .memtables) >= 160 * 600)
        try store.engine.close()
        state = try state?.refreshed()
        #expect(try state?.count(in: ns) == 160)
        #expect(budget.charged(for: .memtables) == store.options.memtableBytes)
    }

    /// The owner cuts a log that a follower of changes has held for too long. A state that still needs it says so.
    @Test func aLogThatIsCutIsOutdatedAndNoValueIsWrong() throws {
        let opened = try open()
        let follower = try opened.changeLog()
        try write(0..<20, "old")
        let unread = try opened.refreshed()
        try write(0..<20, "new")
        try store.engine.flush()
        try store.engine.deleteReplacedFiles()
        store.time.advance(milliseconds: 3_601_000)
        try store.engine.deleteReplacedFiles()
        #expect(store.engine.statistics.revokedFiles > 0)
        for _ in 0..<2 {
            #expect(code { () throws(StorageError) in _ = try unread.count(in: ns) } == .outdated)
            #expect(code { () throws(StorageError) in _ = try unread.value(forKey: [1], in: ns) } == .outdated)
            #expect(code { () throws(StorageError) in _ = try unread.cursor(in: ns) } == .outdated)
            #expect(code { () throws(StorageError) in _ = try unread.checkpoint(at: "/copy") } == .outdated)
        }
        #expect(try values(unread.refreshed()) == [String](repeating: "new", count: 20))
        #expect(try values(opened) == [])
        follower.cancel()
        try store.engine.close()
    }

    @Test func damageBehindARefreshIsAnErrorOfTheRead() throws {
        let opened = try open()
        try write(0..<20, "value")
        let unread = try opened.refreshed()
        let log = newestLog
        let bytes = try #require(store.files.read(log))
        let offset = 400
        #expect(store.files.corrupt(log, at: offset, xor: 4))
        for _ in 0..<2 {
            do {
                _ = try values(unread)
                Issue.record("a damaged log was read")
            } catch let error as StorageError {
                #expect(error.code == .corruption && error.file?.hasSuffix(".wal") == true, "\(error)")
            }
        }
        #expect(store.files.corrupt(log, at: offset, xor: 4))
        #expect(store.files.read(log) == bytes)
        #expect(try values(unread).count == 20)
        try store.engine.close()
    }

    /// A read that fails inserts what it has read, once. The next one continues.
    @Test func aReadThatFailsIsRepeatable() throws {
        let filler = String(repeating: "x", count: 3000)
        let opened = try open()
        try write(0..<19, filler)
        let unread = try opened.refreshed()
        var failures = 0
        while failures < 20 {
            store.files.inject(FaultRule(on: [.read], when: .after(store.files.operationCount), .error(5)))
            let failure = code { () throws(StorageError) in _ = try unread.count(in: ns) }
            store.files.removeFaultRules()
            guard failure != nil else { break }
            #expect(failure == .ioFailure)
            failures += 1
        }
        #expect(try values(unread) == [String](repeating: filler, count: 19))
        #expect(try unread.statistics(of: ns).entries == 19)
        try store.engine.close()
    }

    @Test func aClosedStateStaysUnread() throws {
        let opened = try open()
        try write(0..<20, "value")
        let unread = try opened.refreshed()
        try unread.close()
        #expect(code { () throws(StorageError) in _ = try unread.count(in: ns) } == .closed)
        #expect(unread.core.followed?.batches.isPending == true)
        try store.engine.close()
    }

    /// Threads that read a new state at once: one inserts, the others wait, and all see everything.
    @Test func threadsThatReadANewStateAtOnceSeeAllOfIt() throws {
        let rounds = Ring.choose(commit: 30, nightly: 500, release: 500)
        let state = Locked(try open())
        for round in 0..<rounds {
            try write(0..<40, "\(round)")
            let refreshed = try state.withLock { try $0.refreshed() }
            try TestThreads.run(4) { [ns] thread in
                let found =
                    thread % 2 == 0
                    ? try refreshed.entries(in: ns).map(\.value)
                    : try (0..<40).compactMap { try refreshed.value(forKey: Array("key\($0)".utf8), in: ns) }
                #expect(found == [[UInt8]](repeating: Array("\(round)".utf8), count: 40))
            }
            state.withLock { $0 = refreshed }
        }
        try store.engine.close()
    }
}
