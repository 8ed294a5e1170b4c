import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// A reader beside an owner, refreshed: every state is a prefix of batches and control operations, none is older than
/// the one before, and none changes.
@Suite struct RefreshTests {
    private static var readOnly: Engine.Options {
        var options = ScriptRun.options
        options.mode = .readOnly
        return options
    }

    @Test(arguments: CrashScript.all)
    func everyStepIsSeenAndNoStateChanges(_ script: CrashScript) throws {
        let run = ScriptRun(script)
        var reader: Engine?
        var states: [(engine: Engine, content: StoreContent)] = []
        try run.run {
            do {
                let before = run.files.contents
                let refreshed = try reader?.refreshed() ?? ScriptRun.open(run.files, Self.readOnly)
                let content = try StoreContent(of: refreshed)
                let problem = run.progress.problem(with: content, floor: run.progress.acknowledged)
                #expect(problem == nil, "step \(run.stepIndex)")
                #expect(try StoreContent.isSame(otherWays: refreshed))
                if let reader { #expect(refreshed.statistics.lastSequence >= reader.statistics.lastSequence) }
                if refreshed !== reader { states.append((refreshed, content)) }
                reader = refreshed
                #expect(try refreshed.refreshed() === refreshed)
                #expect(run.files.contents == before)
            } catch {
                Issue.record("step \(run.stepIndex): \(error)")
            }
        }
        for (engine, content) in states {
            #expect(try StoreContent(of: engine) == content)
            #expect(try engine.verify().problems.isEmpty)
            try engine.close()
        }
        reader = nil
        states = []
        #expect(run.files.closesAllHandles, "\(run.files.openHandlePaths)")
    }

    /// The reader refreshes before each of the owner's calls.
    @Test(arguments: [CrashScript.rotation, .flush, .compaction, .truncate, .purge, .drop, .batchesAcrossBlocks])
    func aRefreshAtAnyMomentOfTheOwnerShowsAPrefix(_ script: CrashScript) throws {
        let run = ScriptRun(script)
        var reader: Engine?
        var last: SequenceNumber = 0
        var floor = 0
        var isInside = false
        run.files.willPerform = { _, _ in
            guard !isInside, run.engine != nil else { return }
            isInside = true
            defer { isInside = false }
            do {
                let refreshed = try reader?.refreshed() ?? ScriptRun.open(run.files, Self.readOnly)
                let content = try StoreContent(of: refreshed)
                let problem = run.progress.problem(with: content, floor: max(floor, run.progress.acknowledged))
                #expect(problem == nil, "step \(run.stepIndex)")
                #expect(refreshed.statistics.lastSequence >= last)
                last = refreshed.statistics.lastSequence
                floor = max(floor, run.progress.acknowledged)
                reader = refreshed
            } catch {
                Issue.record("step \(run.stepIndex): \(error)")
            }
        }
        try run.run()
        run.files.willPerform = nil
        #expect(last > 0)
        withExtendedLifetime(reader) {}
    }

    /// The owner works at each call of a refresh. No attempt of the reader fails for that.
    @Test(arguments: [2, 7]) func aRefreshWhileTheOwnerWorksShowsAPrefix(_ count: Int) throws {
        let work: [CrashStep] = [
            .put("a", 3, bytes: 400), .purge(["a"]), .put("a", 4), .flush, .put("a", 5), .truncate(["b"]),
            .put("b", 6), .create("c"), .put("c", 1), .compact, .put("a", 1, purgeable: true), .drop(["c"]),
        ]
        var moment = 0
        var isEnd = false
        while !isEnd {
            let writer = try WriterBesideReader(work)
            let reader = try ScriptRun.open(writer.run.files, Self.readOnly)
            let opened = try StoreContent(of: reader)
            try writer.perform(work.count)
            let before = writer.progress.acknowledged
            do {
                let refreshed = try writer.working(at: moment + 1...moment + count, 3) { () throws(StorageError) in
                    try reader.refreshed()
                }
                let problem = writer.progress.problem(with: try StoreContent(of: refreshed), floor: before)
                #expect(problem == nil, "moment \(moment)")
                #expect(try StoreContent(of: reader) == opened, "moment \(moment)")
                #expect(try refreshed.verify().problems.isEmpty && reader.verify().problems.isEmpty)
            } catch {
                Issue.record("moment \(moment): \(error)")
            }
            #expect(writer.failure == nil)
            isEnd = writer.callCount <= moment
            moment += 1
        }
        #expect(moment > 12)
    }

    /// The owner dies before its calls, and another one opens the store. The reader sees both, and never goes back.
    @Test(arguments: [CrashScript.rotation, .flush, .compaction, .purge, .drop])
    func aRefreshAfterTheOwnersDeathShowsAPrefix(_ script: CrashScript) throws {
        try OwnerDeath.forEach(of: script) { death in
            let (run, point) = (death.run, death.point)
            var reader: Engine?
            var last: SequenceNumber = 0
            func refresh(floor: Int) throws -> StoreContent {
                let refreshed = try reader?.refreshed() ?? ScriptRun.open(run.files, Self.readOnly)
                let content = try StoreContent(of: refreshed)
                #expect(run.progress.problem(with: content, floor: floor) == nil, "point \(point)")
                #expect(refreshed.statistics.lastSequence >= last, "point \(point)")
                last = refreshed.statistics.lastSequence
                reader = refreshed
                return content
            }
            let isEnd = try death.happen { _ = try refresh(floor: run.progress.acknowledged) }
            _ = try refresh(floor: run.progress.acknowledged)
            let next = try ScriptRun.open(run.files)
            #expect(try refresh(floor: run.progress.acknowledged) == StoreContent(of: next), "point \(point)")
            try next.close()
            #expect(try refresh(floor: run.progress.acknowledged).entryCount >= 0)
            return isEnd
        }
    }

    @Test func aRefreshWithoutNewsTakesFewCalls() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        for i in 0..<500 { try store.put("key\(i)", "value", in: ns) }
        let reader = try TestStore.open(store.files, options(store))
        let before = store.files.operationCount
        for _ in 0..<10 { #expect(try reader.refreshed() === reader) }
        #expect(store.files.operationCount - before <= 10 * 12)
        try store.put("key0", "news", in: ns)
        let refreshed = try reader.refreshed()
        #expect(try value("key0", in: ns, of: refreshed) == "news")
        #expect(try value("key0", in: ns, of: reader) == "value")
        try store.engine.close()
    }

    /// The owner writes at each call of a refresh, more than the refresh can read between two calls.
    @Test func aRefreshReadsNoFurtherThanTheOwnerWasWhenItBegan() throws {
        let store = try TestStore { options in
            options.memtableBytes = 32 << 20
            options.memoryBudget = 256 << 20
        }
        let ns = try store.namespace("n")
        let filler = String(repeating: ".", count: 40 << 10)
        let reader = try TestStore.open(store.files, options(store))
        for i in 0..<20 { try store.put("before\(i)", filler, in: ns) }
        let before = store.engine.statistics.lastSequence
        var writes = 0
        var isInside = false
        store.files.willPerform = { _, _ in
            guard !isInside else { return }
            isInside = true
            defer { isInside = false }
            do { try store.put("during\(writes)", filler, in: ns) } catch { Issue.record("\(error)") }
            writes += 1
        }
        let refreshed = try reader.refreshed()
        store.files.willPerform = nil
        #expect(writes > 0 && writes < 60, "\(writes) writes")
        #expect(refreshed.statistics.lastSequence >= before)
        #expect(refreshed.statistics.lastSequence <= store.engine.statistics.lastSequence)
        #expect(try refreshed.entries(in: ns).count >= 20)
        #expect(try refreshed.refreshed().statistics.lastSequence == store.engine.statistics.lastSequence)
        try store.engine.close()
    }

    @Test func snapshotsAndCursorsKeepTheirState() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        for i in 0..<300 { try store.put("key\(i)", "old", in: ns) }
        var reader = try TestStore.open(store.files, options(store))
        let snapshot = reader.snapshot()
        var cursor = try reader.cursor(in: ns)
        #expect(try cursor.next())
        for i in 0..<300 { try store.put("key\(i)", "new", in: ns) }
        try store.engine.compact()
        reader = try reader.refreshed()
        #expect(try reader.entries(in: ns).allSatisfy { $0.value == Array("new".utf8) })
        var count = 1
        while try cursor.next() {
            count += 1
            #expect(unsafe cursor.value.withUnsafeBytes { unsafe Array($0) } == Array("old".utf8))
        }
        #expect(count == 300 && snapshot.sequence < reader.statistics.lastSequence)
        try store.engine.close()
    }

    @Test func aClosedStateIsNotRefreshedAndAnOwnerIsItsOwnNewestState() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        try store.put("k", "1", in: ns)
        #expect(try store.engine.refreshed() === store.engine)
        let first = try TestStore.open(store.files, options(store))
        try store.put("k", "2", in: ns)
        let second = try first.refreshed()
        try first.close()
        #expect(code { () throws(StorageError) in try first.refreshed() } == .closed)
        #expect(try value("k", in: ns, of: second) == "2")
        try store.engine.close()
        #expect(try value("k", in: ns, of: second.refreshed()) == "2")
        let other = try TestStore(store.files)
        try other.put("k", "3", in: ns)
        #expect(try value("k", in: ns, of: second.refreshed()) == "3")
        try other.engine.close()
    }

    @Test func anotherStoreInTheDirectoryIsNoNewerState() throws {
        let store = try TestStore()
        try store.put("k", "1", in: store.namespace("n"))
        let reader = try TestStore.open(store.files, options(store))
        try store.engine.close()
        for path in store.files.paths() where path.hasPrefix("/store/") {
            let parts = path.split(separator: "/")
            let parent = try store.files.openDirectory(
                "/" + parts.dropLast().joined(separator: "/"), create: false)
            if let name = parts.last { try parent.remove(String(name)) }
        }
        let environment = EngineEnvironment(
            fileSystem: store.files, random: SeededRandom(seed: 8), scheduling: .inline)
        let other = try Engine.open(at: "/store", options: store.options, environment: environment)
        #expect(code { () throws(StorageError) in try reader.refreshed() } == .outdated)
        try other.close()
    }

    private func options(_ store: TestStore) -> Engine.Options {
        var options = store.options
        options.mode = .readOnly
        return options
    }

    private func value(_ key: String, in namespace: NamespaceID, of engine: Engine) throws -> String? {
        let value = try unsafe engine.value(forKey: Array(key.utf8).span.bytes, in: namespace)
        return value.map { String(decoding: $0, as: UTF8.self) }
    }
}
