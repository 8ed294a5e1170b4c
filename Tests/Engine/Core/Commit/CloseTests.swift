import ShaleBase
import ShalePlatform
import ShaleSimulation
import Synchronization
import TestSupport
import Testing

@testable import ShaleEngine

/// `close` returns when everything is durable, whichever thread called it first.
@Suite struct ConcurrentCloseTests {
    @Test func aSecondCallerReturnsWhenTheFirstHasMadeEverythingDurable() throws {
        let files = SimulatedFileSystem(seed: 1)
        let store = try TestStore(files, scheduling: .deferred)
        let namespace = try store.namespace("n")
        try store.put("k", "v", in: namespace)
        let gate = TestGate()
        let isArmed = Atomic<Bool>(true)
        files.willPerform = { operation, path in
            if operation == .sync, path.hasSuffix(".seg"), isArmed.exchange(false, ordering: .relaxed) { gate.pass() }
        }
        let engine = store.engine
        let first = try WorkerThread.start(name: "first") { do { try engine.close() } catch { Issue.record(error) } }
        gate.waitForArrival()
        let left = Locked<SimulatedFileSystem?>(nil)
        let second = try WorkerThread.start(name: "second") {
            do { try engine.close() } catch { Issue.record(error) }
            left.withLock { $0 = files.crashClone(.dropAll) }
        }
        gate.open()
        first.join()
        second.join()
        let disk = try #require(left.withLock { $0 })
        let reopened = try TestStore.open(disk, TestStore.smallOptions)
        #expect(try reopened.value(forKey: Array("k".utf8), in: namespace) == Array("v".utf8))
    }
}

/// Every write ends, also during a `close` that finds no space. A write that ended with `.closed`
/// was not applied.
@Suite struct ClosingWritersTests {
    @Test func closingOnAFullDiskLeavesNobodyWaiting() throws {
        for round in 0..<30 {
            let files = SimulatedFileSystem(seed: UInt64(round))
            files.recordsOperations = false
            let store = try TestStore(files, scheduling: .deferred) { $0.durability = .synced }
            let ns = try store.namespace("n")
            try store.put("key", "value", in: ns)
            files.inject(
                FaultRule(on: [.create], path: "/store/wal/*", when: .always, repeatsForever: true, .error(28)))
            files.willPerform = { kind, path in
                guard path.contains("/wal/") else { return }
                // Simulates the durations of a busy disk. The commit lock is held during the first call.
                if kind == .create { sleepNanoseconds(1_000_000) }
                if kind == .sync { sleepNanoseconds(300_000) }
            }
            let engine = store.engine
            let last = Locked<[UInt8]>(Array(repeating: 0, count: 8))
            let codes = Locked<[StorageError.Code]>([])
            let threads = try (0..<8).map { (thread: Int) in
                try WorkerThread.start(name: "writer") {
                    do throws(StorageError) {
                        for value in UInt8(1)...255 {
                            try engine.put([value], forKey: [UInt8(thread)], in: ns)
                            last.withLock { $0[thread] = value }
                        }
                    } catch {
                        codes.withLock { $0.append(error.code) }
                    }
                }
            }
            let haveBegun = eventually { last.withLock { $0.contains { $0 > 0 } } }
            #expect(haveBegun)
            do throws(StorageError) { try engine.close() } catch { #expect(error.code == .noSpace) }
            let haveEnded = eventually(within: .seconds(5)) { codes.withLock { $0.count } == 8 }
            try #require(haveEnded, "round \(round): \(codes.withLock { $0 }), the others wait for ever")
            for thread in threads { thread.join() }
            #expect(codes.withLock { $0 }.allSatisfy { $0 == .closed }, "round \(round)")
            let left = try TestStore.open(files.crashClone(.processKill), TestStore.smallOptions)
            for (thread, value) in last.withLock({ $0 }).enumerated() where value > 0 {
                let found = try left.value(forKey: [UInt8(thread)], in: ns)
                #expect(found == [value], "round \(round), writer \(thread)")
            }
        }
    }
}
