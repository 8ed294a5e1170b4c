import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

/// A manual compaction on several threads.
@Suite struct RangedCompactionTests {
    private var options: Engine.Options {
        var options = TestStore.smallOptions
        options.manualCompactionThreads = 4
        // Parallel ranges may use a quarter of the budget.
        options.memoryBudget = 256 << 20
        options.lastCompression = .lz4
        return options
    }

    private func filled(_ files: SimulatedFileSystem) throws -> (engine: Engine, namespace: NamespaceID) {
        files.recordsOperations = false
        let engine = try TestStore.open(files, options, .threads)
        let namespace = try engine.createNamespace(named: [1])
        let random = SeededRandom(seed: 3)
        for round in 0..<3 {
            for i in 0..<6000 where round == 0 || i % 5 == round {
                try engine.put(random.bytes(90), forKey: Array("key \(i * 7919 % 6000)".utf8), in: namespace)
            }
        }
        try engine.flush()
        return (engine, namespace)
    }

    @Test func writersAndReadersContinue() throws {
        let (engine, namespace) = try filled(SimulatedFileSystem(seed: 1))
        try TestThreads.run(3) { thread in
            switch thread {
            case 0: for _ in 0..<4 { try engine.compact() }
            case 1:
                for i in 0..<3000 {
                    try engine.put(Array("new".utf8), forKey: Array("key \(2 * i)".utf8), in: namespace)
                }
            default: for _ in 0..<20 { #expect(try engine.entries(in: namespace).count == 6000) }
            }
        }
        #expect(try engine.verify().problems.isEmpty)
        #expect(try engine.entries(in: namespace).count { $0.1 == Array("new".utf8) } == 3000)
        try engine.close()
    }

    /// Whichever write fails, in any range: one error, no output left, and every answer as before.
    @Test func aFailureInARangeLeavesNothing() throws {
        let files = SimulatedFileSystem(seed: 1)
        let (engine, namespace) = try filled(files)
        try engine.compact()
        let before = try engine.entries(in: namespace).map(\.0)
        for write in [1, 3, 6, 9] {
            try engine.put([1], forKey: Array("key 0".utf8), in: namespace)
            try engine.put([1], forKey: Array("key 5999".utf8), in: namespace)
            try engine.flush()
            let segments = files.paths().filter { $0.hasSuffix(".seg") }
            files.inject(FaultRule(on: [.write], path: "*/segments/*", when: .match(write), .error(28)))
            let error = #expect(throws: StorageError.self) { try engine.compact() }
            #expect(error?.code != .cancelled)
            files.removeFaultRules()
            #expect(files.paths().filter { $0.hasSuffix(".seg") } == segments)
            #expect(try engine.entries(in: namespace).map(\.0) == before)
        }
        try engine.compact()
        #expect(engine.statistics.levels.last?.entries == 6000)
        try engine.close()
    }

    @Test func closingEndsAllRanges() throws {
        let files = SimulatedFileSystem(seed: 1)
        let (engine, _) = try filled(files)
        let (begun, goOn) = (TestGate(), TestGate())
        try TestThreads.run(2) { thread in
            if thread == 0 {
                do {
                    try engine.compact { _ in
                        begun.open()
                        goOn.pass()
                    }
                } catch let error as StorageError {
                    #expect([.closed, .cancelled].contains(error.code))
                }
            } else {
                begun.pass()
                goOn.open()
                try engine.close()
            }
        }
        let reopened = try TestStore.open(files, options)
        #expect(try reopened.entries(in: reopened.namespaces[0].id).count == 6000)
        try reopened.close()
    }
}
