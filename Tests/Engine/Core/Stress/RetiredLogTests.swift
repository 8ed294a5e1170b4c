import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Synchronization
import TestSupport
import Testing

/// A log whose memtable has been flushed is deleted once it is unused, by a thread for which no caller waits.
@Suite struct RetiredLogTests {
    /// If it lost its name, closing it after the sync would delete it: possibly for seconds, and on a writer's thread.
    @Test func aLogThatIsBeingSyncedKeepsItsName() throws {
        let files = SimulatedFileSystem(seed: 1)
        let isArmed = Atomic(false)
        let gate = TestGate()
        let engine = try Engine.open(
            at: "/store", options: TestStore.smallOptions,
            environment: EngineEnvironment(
                fileSystem: HookedFileSystem(files) { path in
                    guard path.hasSuffix(".wal"), isArmed.exchange(false, ordering: .relaxed) else { return }
                    gate.pass()
                }, random: SeededRandom(seed: 1)))
        let namespace = try engine.createNamespace(named: [1])
        try engine.put([1], forKey: [1], in: namespace)
        let logs = try files.openDirectory("/store/wal", create: false)
        let name = try #require(try logs.list().min())
        isArmed.store(true, ordering: .relaxed)
        try TestThreads.run(2) { thread in
            guard thread == 0 else { return try engine.sync() }
            gate.waitForArrival()
            try engine.flush()
            // The next log is retired too, and deleted. The pass that deletes it also looks at the log in the sync.
            let next = try #require(try logs.list().filter { $0 != name }.min())
            try engine.put([2], forKey: [2], in: namespace)
            try engine.flush()
            let isNextGone = try eventually { try !logs.exists(next) }
            #expect(isNextGone)
            #expect(try logs.exists(name))
            gate.open()
        }
        let isGone = try eventually { try !logs.exists(name) }
        #expect(isGone)
        try engine.close()
    }
}
