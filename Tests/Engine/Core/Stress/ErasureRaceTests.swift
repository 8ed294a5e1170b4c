import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Synchronization
import Testing

/// Readers and snapshots beside purges and truncations.
@Suite struct ErasureRaceTests {
    /// Every value is written once and erased soon after. A reader that has seen it erased must not see it again, and a
    /// snapshot must always show the same.
    @Test(arguments: [false, true]) func whatWasSeenErasedStaysErased(_ truncates: Bool) throws {
        let files = SimulatedFileSystem(seed: 1)
        files.recordsOperations = false
        let engine = try TestStore.open(files, TestStore.smallOptions, .threads)
        let ns = try engine.createNamespace(named: [1])
        let rounds = StressLimits.scaled(1500)
        let isDone = Atomic(false)
        try TestThreads.run(4) { thread in
            if thread == 0 {
                defer { isDone.store(true, ordering: .relaxed) }
                for i in 0..<rounds {
                    try engine.put(
                        Array("\(i)".utf8), forKey: [1], in: ns, PutOptions(isPurgeable: true))
                    if truncates { try engine.truncate([ns]) } else { try engine.purge([ns]) }
                    if i % 100 == 99 { try engine.flush() }
                }
                return
            }
            var seen: [UInt8]?
            var isGone = false
            func observe(_ value: [UInt8]?) {
                if let value {
                    #expect(!(isGone && value == seen), "value \(value) came back")
                    seen = value
                    isGone = false
                } else {
                    isGone = true
                }
            }
            var kept: [(Snapshot, [UInt8]?)] = []
            while !isDone.load(ordering: .relaxed) {
                observe(try engine.value(forKey: [1], in: ns))
                let snapshot = engine.snapshot()
                let value = try engine.value(forKey: [1], in: ns, at: snapshot)
                observe(value)
                kept.append((snapshot, value))
                if kept.count > thread * 3 { kept.removeFirst() }
                for (snapshot, value) in kept {
                    let again = try engine.value(forKey: [1], in: ns, at: snapshot)
                    #expect(again == value, "a snapshot of sequence \(snapshot.sequence) changed its mind")
                }
            }
        }
        try engine.close()
    }
}
