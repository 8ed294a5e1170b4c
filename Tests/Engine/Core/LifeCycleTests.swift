import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

@Suite struct LifeCycleTests {
    @Test func aPutEntryIsReadBackAndSurvivesClose() throws {
        let store = try TestStore()
        let ns = try store.namespace("orders")
        for i in 0..<3000 { try store.put("key\(i)", "value \(i)", in: ns) }
        for i in 0..<3000 { #expect(try store.get("key\(i)", in: ns) == "value \(i)") }
        try store.delete("key17", in: ns)
        try store.reopen()
        #expect(store.engine.recovery.replayedBatches == 0)
        #expect(try store.namespace("orders") == ns)
        #expect(try store.get("key17", in: ns) == nil)
        for i in 0..<3000 where i != 17 { #expect(try store.get("key\(i)", in: ns) == "value \(i)") }
        #expect(try store.scan(ns).count == 2999)
        #expect(try store.scan(ns, order: .reversed) == store.scan(ns).reversed())
        try store.engine.compact()
        #expect(try store.scan(ns).count == 2999)
        #expect(try store.engine.verify().problems.isEmpty)
        try store.engine.close()
    }

    @Test func theEventsEndWithTheClosing() async throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        let events = store.engine.events
        try store.put("k", "v", in: ns)
        try store.engine.close()
        var flushes = 0
        for await event in events { if case .flushed = event { flushes += 1 } }
        #expect(flushes == 1)
        for await event in store.engine.events { Issue.record("\(event) after the end") }
    }

    @Test func aKilledProcessLosesNothing() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        for i in 0..<2000 { try store.put("key\(i % 700)", "value \(i)", in: ns) }
        let after = store.files.crashClone(.processKill, seed: 3)
        let engine = try TestStore.open(after, store.options)
        #expect(engine.recovery.replayedBatches > 0)
        let again = try engine.entries(in: ns)
        #expect(again.count == 700)
        #expect(again.map(\.key) == (try store.engine.entries(in: ns)).map(\.key))
        #expect(again.map(\.value) == (try store.engine.entries(in: ns)).map(\.value))
    }

    @Test func aThreadedStoreFlushesCompactsAndCloses() throws {
        let store = try TestStore(scheduling: .threads) { $0.time = SystemTime() }
        let ns = try store.namespace("n")
        for i in 0..<20_000 { try store.put("key\(i * 7919 % 20_000)", "value \(i)", in: ns) }
        try store.engine.flush()
        #expect(try store.scan(ns).count == 20_000)
        try store.engine.compact()
        #expect(try store.scan(ns).count == 20_000)
        try store.reopen()
        #expect(try store.scan(ns).count == 20_000)
        try store.engine.close()
    }

    @Test(arguments: [EngineEnvironment.Scheduling.inline, .threads])
    func aClosedEngineThatIsGoneHoldsNoFile(_ scheduling: EngineEnvironment.Scheduling) throws {
        let files = SimulatedFileSystem(seed: 5)
        do {
            var options = TestStore.smallOptions
            options.time = SystemTime()
            let engine = try TestStore.open(files, options, scheduling)
            let ns = try engine.createNamespace(named: [1])
            for i in 0..<4000 { try engine.put(Array("value \(i)".utf8), forKey: Array("\(i % 900)".utf8), in: ns) }
            #expect(try engine.entries(in: ns).count == 900)
            try engine.close()
        }
        EpochDomainPool.shared.quiesceIdle()
        #expect(files.openHandlePaths == [])
    }
}
