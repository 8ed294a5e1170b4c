import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// The owner keeps the logs that followers have not read, within its bounds, and followers notice what is gone.
@Suite struct ChangeLogHoldTests {
    private struct Fixture {
        let store: TestStore
        let reader: Engine
        let namespace: NamespaceID

        init(_ change: (inout Engine.Options) -> Void = { _ in }) throws {
            store = try TestStore { change(&$0) }
            namespace = try store.namespace("n")
            var options = store.options
            options.mode = .readOnly
            reader = try TestStore.open(store.files, options)
        }

        /// Fills and flushes a memtable.
        func fill(_ word: String) throws {
            for i in 0..<20 { try store.put("\(word)\(i)", String(repeating: ".", count: 1000), in: namespace) }
            try store.engine.flush()
            try store.engine.deleteReplacedFiles()
        }

        var logs: Int { store.files.paths().count { $0.hasSuffix(".wal") } }
    }

    @Test func unreadLogsAreKeptUntilTheyAreRead() throws {
        let fixture = try Fixture()
        try fixture.fill("before")
        let idle = fixture.logs
        let reader = try fixture.reader.refreshed()
        let log = try reader.changeLog()
        for round in 0..<5 { try fixture.fill("round \(round) ") }
        #expect(fixture.logs >= idle + 5)
        var last = reader.statistics.lastSequence
        while let batch = try log.nextAvailable() {
            #expect(!batch.isGap && batch.sequences.lowerBound == last + 1)
            last = batch.sequences.upperBound
        }
        #expect(last == fixture.store.engine.statistics.lastSequence)
        try fixture.store.engine.deleteReplacedFiles()
        #expect(fixture.logs <= idle + 1)
        try fixture.store.engine.close()
    }

    @Test func aFollowerHoldsNoSegments() throws {
        let fixture = try Fixture()
        try fixture.fill("a")
        let log = try fixture.reader.changeLog()
        try fixture.reader.close()
        #expect(code { () throws(StorageError) in _ = try log.nextAvailable() } == .closed)
        let own = try fixture.store.engine.changeLog()
        for _ in 0..<4 { try fixture.fill("a") }
        try fixture.store.engine.compact()
        try fixture.store.engine.deleteReplacedFiles()
        let segments = fixture.store.engine.statistics.levels.reduce(0) { $0 + $1.segments }
        #expect(fixture.store.files.paths().count { $0.hasSuffix(".seg") } == segments)
        own.cancel()
        try fixture.store.engine.close()
    }

    @Test func unreadLogsAreGivenUpAfterTheTimeOfTheOption() throws {
        let fixture = try Fixture { $0.readerTimeMax = .seconds(60) }
        let log = try fixture.reader.changeLog(after: 0)
        for round in 0..<5 { try fixture.fill("round \(round) ") }
        fixture.store.time.advance(milliseconds: 61_000)
        try fixture.store.engine.deleteReplacedFiles()
        #expect(fixture.logs <= 2)
        try fixture.fill("after ")
        var last: SequenceNumber = 0
        var gaps = 0
        while let batch = try log.nextAvailable() {
            #expect(batch.sequences.lowerBound == last + 1)
            last = batch.sequences.upperBound
            if batch.isGap { gaps += 1 }
        }
        #expect(last == fixture.store.engine.statistics.lastSequence && gaps == 1)
        try fixture.store.engine.close()
    }

    @Test func whatIsGoneAtTheStartIsAGap() throws {
        let fixture = try Fixture()
        try fixture.fill("gone")
        let before = fixture.store.engine.statistics.lastSequence
        try fixture.store.put("k", "v", in: fixture.namespace)
        let log = try fixture.reader.changeLog(after: 3)
        #expect(try log.nextAvailable() == Engine.ChangeBatch(gap: 4...before))
        #expect(try log.nextAvailable()?.sequences == (before + 1)...(before + 1))
        #expect(try log.nextAvailable() == nil)
        try fixture.store.engine.close()
    }

    @Test func theChangesOfAClosedStoreAreAGap() throws {
        let fixture = try Fixture()
        for i in 0..<3 { try fixture.store.put("k\(i)", "v", in: fixture.namespace) }
        try fixture.store.engine.close()
        let reader = try fixture.reader.refreshed()
        let log = try reader.changeLog(after: 1)
        #expect(try log.nextAvailable() == Engine.ChangeBatch(gap: 2...3))
        #expect(try log.nextAvailable() == nil)
        #expect(try reader.changeLog().nextAvailable() == nil)
    }

    @Test func anOperationInAReplacedManifestIsAGapForALaterStart() throws {
        let fixture = try Fixture()
        let early = try fixture.reader.changeLog(after: 0)
        try fixture.store.put("k", "1", in: fixture.namespace)
        try fixture.store.engine.purge([fixture.namespace])
        try fixture.store.engine.rewriteManifest()
        try fixture.store.put("k", "2", in: fixture.namespace)
        #expect(try early.nextAvailable()?.sequences == 1...1)
        #expect(try early.nextAvailable()?.changes.map(\.kind) == [.purged])
        #expect(try early.nextAvailable()?.sequences == 3...3)
        let late = try fixture.reader.changeLog(after: 0)
        #expect(try late.nextAvailable()?.sequences == 1...1)
        #expect(try late.nextAvailable() == Engine.ChangeBatch(gap: 2...2))
        #expect(try late.nextAvailable()?.sequences == 3...3)
        try fixture.store.engine.close()
    }

    @Test func aFollowerContinuesAcrossCleanCloses() throws {
        let fixture = try Fixture()
        let log = try fixture.reader.changeLog(after: 0)
        var last: SequenceNumber = 0
        for round in 0..<4 {
            try fixture.store.put("k\(round)", "v", in: fixture.namespace)
            // In every second round the follower has not read what the closed owner wrote.
            if round % 2 == 0 { try fixture.store.reopen() }
            while let batch = try log.nextAvailable() {
                #expect(!batch.isGap && batch.sequences.lowerBound == last + 1)
                last = batch.sequences.upperBound
            }
            if round % 2 == 1 { try fixture.store.reopen() }
        }
        #expect(last == 4)
        log.cancel()
        try fixture.store.engine.close()
        #expect(fixture.logs == 0)
    }
}
