import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// The owner of a store keeps what readers in other processes read, within its bounds.
@Suite struct ReaderHoldTests {
    /// A store with some segments, of which a reader can keep only a few open.
    private struct Fixture {
        let store: TestStore
        let namespace: NamespaceID

        init(
            _ scheduling: EngineEnvironment.Scheduling = .inline,
            _ change: (inout Engine.Options) -> Void = { _ in }
        ) throws {
            store = try TestStore(scheduling: scheduling) { options in
                options.openFileLimit = 16
                options.memoryBudget = 8 << 20
                options.segmentBytes = 64 << 10
                options.lastCompression = .none
                change(&options)
            }
            namespace = try store.namespace("n")
            try fill("old")
        }

        func fill(_ word: String) throws {
            let filler = String(repeating: ".", count: 1500)
            for i in 0..<1200 { try store.put("key\(i)", "\(word) \(i) \(filler)", in: namespace) }
            try store.engine.flush()
            try store.engine.compact()
        }

        func reader() throws -> Engine {
            var options = store.options
            options.mode = .readOnly
            return try TestStore.open(store.files, options)
        }

        /// Reads all entries. Returns the number of those that begin with `word`.
        func count(_ word: String, in engine: Engine) throws(StorageError) -> Int {
            try engine.entries(in: namespace).count { $0.value.starts(with: word.utf8) }
        }

        var segmentsOnDisk: Int { store.files.paths().count { $0.hasSuffix(".seg") } }
        var segments: Int { store.engine.statistics.levels.reduce(0) { $0 + $1.segments } }
    }

    @Test func aReaderReadsItsStateWhateverIsReplaced() throws {
        let fixture = try Fixture()
        let reader = try fixture.reader()
        let before = fixture.segments
        #expect(before > 16, "more than the reader keeps open")
        try fixture.fill("new")
        #expect(fixture.segmentsOnDisk >= fixture.segments + before - 1)
        #expect(try fixture.count("old", in: reader) == 1200)
        #expect(try reader.verify().problems.isEmpty)
        let statistics = fixture.store.engine.statistics
        #expect(statistics.heldStates == 1 && statistics.readerBytes > 1 << 20 && statistics.revokedFiles == 0)
        fixture.store.time.advance(milliseconds: 5000)
        #expect(fixture.store.engine.statistics.readerAge == .seconds(5))
        try reader.close()
        try fixture.store.engine.deleteReplacedFiles()
        #expect(fixture.segmentsOnDisk == fixture.segments)
        let after = fixture.store.engine.statistics
        #expect(after.heldStates == 0 && after.readerBytes == 0 && after.readerAge == .zero)
        try fixture.store.engine.close()
    }

    @Test func onlyFilesOfTheHeldStateAreKept() throws {
        let fixture = try Fixture()
        let reader = try fixture.reader()
        let before = fixture.segments
        for round in 0..<4 { try fixture.fill("new \(round)") }
        #expect(fixture.segmentsOnDisk <= fixture.segments + before + 4)
        #expect(try fixture.count("old", in: reader) == 1200)
        try fixture.store.engine.close()
        withExtendedLifetime(reader) {}
    }

    @Test func aHeldFileIsGivenUpAfterTheTimeOfTheOption() throws {
        let fixture = try Fixture { $0.readerTimeMax = .seconds(60) }
        let reader = try fixture.reader()
        try fixture.fill("new")
        fixture.store.time.advance(milliseconds: 59_000)
        try fixture.store.engine.deleteReplacedFiles()
        #expect(try fixture.count("old", in: reader) == 1200)
        fixture.store.time.advance(milliseconds: 2000)
        try fixture.store.engine.deleteReplacedFiles()
        #expect(fixture.segmentsOnDisk == fixture.segments)
        #expect(fixture.store.engine.statistics.revokedFiles > 16)
        #expect(code { () throws(StorageError) in _ = try fixture.count("old", in: reader) } == .outdated)
        #expect(try fixture.count("new", in: reader.refreshed()) == 1200)
        try fixture.store.engine.close()
    }

    @Test func heldFilesStayWithinTheBytesOfTheOption() throws {
        let bytes = 256 << 10
        let fixture = try Fixture { $0.readerBytesMax = bytes }
        let reader = try fixture.reader()
        try fixture.fill("new")
        let statistics = fixture.store.engine.statistics
        #expect(statistics.readerBytes <= bytes && statistics.readerBytes > bytes / 2)
        #expect(statistics.revokedFiles > 0)
        #expect(code { () throws(StorageError) in _ = try fixture.count("old", in: reader) } == .outdated)
        try fixture.store.engine.close()
        withExtendedLifetime(reader) {}
    }

    @Test func aFullDiskEndsAllHoldsAndWritingResumes() throws {
        let fixture = try Fixture(.threads)
        let reader = try fixture.reader()
        try fixture.fill("new")
        #expect(eventually { fixture.store.engine.statistics.readerBytes > 1 << 20 })
        fixture.store.files.setQuota(fixture.store.files.usedBytes + (300 << 10))
        let random = SeededRandom(seed: 3)
        var count = 0
        var isFull = false
        let isWritten = eventually {
            do throws(StorageError) {
                try fixture.store.engine.put(
                    random.bytes(4000), forKey: Array("more\(count)".utf8), in: fixture.namespace)
                count += 1
            } catch {
                #expect(error.code == .noSpace)
                isFull = true
            }
            fixture.store.time.advance(milliseconds: isFull ? 1000 : 10)
            return count == 400
        }
        #expect(isWritten && isFull)
        #expect(fixture.store.engine.statistics.revokedFiles > 16)
        #expect(code { () throws(StorageError) in _ = try fixture.count("old", in: reader) } == .outdated)
        try fixture.store.engine.close()
    }

    @Test func theHoldOfAKilledReaderEnds() throws {
        let fixture = try Fixture()
        let process = fixture.store.files.fork()
        let reader = try fixture.store.files.run(in: process) { try fixture.reader() }
        try fixture.fill("new")
        #expect(fixture.store.engine.statistics.heldStates == 1)
        fixture.store.files.end(process)
        #expect(fixture.store.engine.statistics.heldStates == 0)
        try fixture.store.engine.deleteReplacedFiles()
        #expect(fixture.segmentsOnDisk == fixture.segments)
        try fixture.store.engine.close()
        withExtendedLifetime(reader) {}
    }

    @Test func anOwnerThatOpensKeepsWhatReadersHold() throws {
        let fixture = try Fixture()
        let reader = try fixture.reader()
        try fixture.fill("new")
        for _ in 0..<3 { try fixture.store.reopen() }
        #expect(try fixture.count("old", in: reader) == 1200)
        #expect(try fixture.count("new", in: fixture.store.engine) == 1200)
        try reader.close()
        try fixture.store.engine.deleteReplacedFiles()
        #expect(fixture.segmentsOnDisk == fixture.segments)
        try fixture.store.engine.close()
    }

    @Test func aStoreWithoutLockOpensWithoutAHold() throws {
        let fixture = try Fixture()
        try fixture.store.engine.checkpoint(at: "/copy")
        var options = fixture.store.options
        options.mode = .readOnly
        let environment = EngineEnvironment(
            fileSystem: fixture.store.files, random: SeededRandom(seed: 7), scheduling: .inline)
        let reader = try Engine.open(at: "/copy", options: options, environment: environment)
        #expect(try fixture.count("old", in: reader) == 1200)
        options.mode = .openExisting
        let owner = try Engine.open(at: "/copy", options: options, environment: environment)
        #expect(owner.statistics.heldStates == 0)
        let refreshed = try reader.refreshed()
        #expect(owner.statistics.heldStates == 1)
        #expect(try fixture.count("old", in: refreshed) == 1200)
        try owner.close()
        try fixture.store.engine.close()
    }
}
