import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@Suite struct ManualCompactionTests {
    /// Compactions at the same time would select the same segments.
    @Test func severalAtOnceTakeTurns() throws {
        let files = SimulatedFileSystem(seed: 1)
        files.recordsOperations = false
        let engine = try TestStore.open(files, TestStore.smallOptions, .threads)
        let ns = try engine.createNamespace(named: [1])
        for i in 0..<3000 {
            try engine.put(
                Array("value \(i)".utf8), forKey: Array("\(i)".utf8), in: ns,
                options: PutOptions(isPurgeable: i % 2 == 0))
        }
        try TestThreads.run(4) { thread in
            for _ in 0..<5 {
                if thread == 0 { try engine.purge([ns]) }
                if thread % 2 == 0 { try engine.compact() } else { try engine.reclaim() }
            }
        }
        #expect(try engine.entries(in: ns).count == 1500)
        #expect(try engine.verify().problems.isEmpty)
        try engine.close()
    }

    /// Each would wait for the compaction, which waits for the progress handler that makes the call.
    @Test(arguments: [EngineEnvironment.Scheduling.inline, .threads])
    func itsProgressCanNeitherCloseNorCompact(_ scheduling: EngineEnvironment.Scheduling) throws {
        let files = SimulatedFileSystem(seed: 1)
        let engine = try TestStore.open(files, TestStore.smallOptions, scheduling)
        let ns = try engine.createNamespace(named: [1])
        for i in 0..<2000 { try engine.put(Array("value \(i)".utf8), forKey: Array("\(i)".utf8), in: ns) }
        let calls = Locked(0)
        try engine.compact { (_) throws(StorageError) in
            calls.withLock { $0 += 1 }
            #expect(code { () throws(StorageError) in try engine.close() } == .invalidArgument)
            #expect(code { () throws(StorageError) in try engine.compact() } == .invalidArgument)
            #expect(code { () throws(StorageError) in try engine.reclaim() } == .invalidArgument)
            try engine.put([], forKey: [], in: ns)
        }
        #expect(calls.withLock { $0 } > 0)
        // No state is left behind.
        try engine.compact()
        #expect(try engine.entries(in: ns).count == 2001)
        try engine.close()
    }

    /// The compaction's outputs and edits go to files that `close` closes.
    @Test func closingWaitsForOne() throws {
        let files = SimulatedFileSystem(seed: 1)
        let engine = try TestStore.open(files, TestStore.smallOptions, .threads)
        let ns = try engine.createNamespace(named: [1])
        for i in 0..<2000 { try engine.put(Array("value \(i)".utf8), forKey: Array("\(i)".utf8), in: ns) }
        let (begun, goOn) = (TestGate(), TestGate())
        let isClosed = Locked(false)
        try TestThreads.run(3) { thread in
            switch thread {
            case 0:
                do {
                    try engine.compact { _ in
                        begun.open()
                        goOn.pass()
                        #expect(!isClosed.withLock { $0 })
                    }
                } catch let error as StorageError {
                    #expect([.closed, .cancelled].contains(error.code))
                }
            case 1:
                begun.pass()
                try engine.close()
                isClosed.withLock { $0 = true }
            default:
                begun.pass()
                // From the moment at which `close` ends writing it waits for the compaction.
                let isClosing = eventually {
                    code { () throws(StorageError) in
                        try engine.put(Array("value 0".utf8), forKey: Array("0".utf8), in: ns)
                    } == .closed
                }
                #expect(isClosing)
                goOn.open()
            }
        }
        let reopened = try TestStore.open(files, TestStore.smallOptions)
        #expect(try reopened.entries(in: ns).count == 2000)
    }
}
