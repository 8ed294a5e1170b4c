import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

@Suite struct CreateRaceTests {
    /// A thread that sees that a namespace exists can use it.
    @Test func aNamespaceThatIsFoundCanBeUsed() throws {
        let files = SimulatedFileSystem(seed: 1)
        files.recordsOperations = false
        let engine = try TestStore.open(files, TestStore.smallOptions, .threads)
        let count = StressLimits.scaled(1000)
        @Sendable func name(_ number: Int) -> [UInt8] { Array("\(number)".utf8) }
        try TestThreads.run(3) { thread in
            for i in 0..<count {
                if thread == 0 {
                    try engine.createNamespace(named: name(i))
                    continue
                }
                while true {
                    guard let found = engine.namespace(named: name(i)) else { continue }
                    try engine.put([1], forKey: [UInt8(thread)], in: found.id)
                    break
                }
            }
        }
        #expect(engine.namespaces.count == count)
        try engine.close()
    }
}
