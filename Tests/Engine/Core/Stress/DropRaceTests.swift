import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

@Suite struct DropRaceTests {
    /// A reader finds a namespace unchanged or gets the error that it was dropped. It never finds it empty.
    @Test func aNamespaceIsWholeOrDropped() throws {
        let files = SimulatedFileSystem(seed: 1)
        files.recordsOperations = false
        let engine = try TestStore.open(files, TestStore.smallOptions, .threads)
        let current = Guarded<NamespaceID?>(nil)
        let isDone = Guarded(false)
        try TestThreads.run(4) { thread in
            if thread == 0 {
                defer { isDone.withLock { $0 = true } }
                for i in 0..<StressLimits.scaled(300) {
                    let ns = try engine.createNamespace(named: [UInt8(i % 7)])
                    for j in 0..<10 { try engine.put([1], forKey: [UInt8(j)], in: ns) }
                    if i % 2 == 0 { try engine.flush() }
                    current.withLock { $0 = ns }
                    try engine.drop([ns])
                    if i % 4 == 0 { try engine.reclaim() }
                }
                return
            }
            while !isDone.withLock({ $0 }) {
                guard let ns = current.withLock({ $0 }) else { continue }
                do throws(StorageError) {
                    switch thread {
                    case 1: #expect(try engine.value(forKey: [3], in: ns) != nil)
                    case 2: #expect(try engine.entries(in: ns).count == 10)
                    default:
                        let snapshot = engine.snapshot()
                        #expect(try engine.values(forKeys: [[3], [4]], in: ns, at: snapshot) == [[1], [1]])
                        #expect(try engine.entries(in: ns, order: .reversed, at: snapshot).count == 10)
                    }
                } catch {
                    #expect(error.code == .namespaceDropped)
                }
            }
        }
        try engine.close()
    }
}
