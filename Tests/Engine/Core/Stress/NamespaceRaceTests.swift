import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Synchronization
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

@Suite struct DropRaceTests {
    /// A reader finds a namespace unchanged or gets the error that it was dropped. It never finds it empty.
    @Test func aNamespaceIsWholeOrDropped() throws {
        let files = SimulatedFileSystem(seed: 1)
        files.recordsOperations = false
        let engine = try TestStore.open(files, TestStore.smallOptions, .threads)
        let current = Locked<NamespaceID?>(nil)
        let isDone = Locked(false)
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

/// Readers and snapshots beside purges and truncations.
@Suite struct ErasureRaceTests {
    /// Every value is written once and erased soon after. A reader that has seen it erased must not see it again, and a
    /// snapshot must always show the same.
    @Test(arguments: [false, true]) func entriesSeenErasedStayErased(_ truncates: Bool) throws {
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
                        Array("\(i)".utf8), forKey: [1], in: ns, options: PutOptions(isPurgeable: true))
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
            var kept: [(Engine.Snapshot, [UInt8]?)] = []
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
