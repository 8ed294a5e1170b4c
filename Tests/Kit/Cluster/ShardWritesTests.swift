import Shale
import ShalePlatform
import TestSupport
import Testing

@testable import ShaleCluster

/// Writes of one client that wait for a shard and are sent together.
@Suite
struct ShardWritesTests {
    private let queue = ShardWrites()
    private let gate = TaskGate()
    private let sent = Locked<[Int]>([])
    private let namespace: ClusterNamespace

    init() async throws { namespace = try await ClusterFixture().store.createNamespace("a") }

    private func writes(_ byteCount: Int = 1) throws -> EntryWrites {
        let value = [UInt8](repeating: 1, count: byteCount)
        return try EntryWrites([try .set(value, forKey: "k", as: nil, default: .json, [])], in: namespace, nil)
    }

    /// Sends when the gate is open.
    private func send(_ all: [EntryWrites]) async throws(StorageError) -> [Bool] {
        sent.withLock { $0.append(all.count) }
        await gate.pass()
        if Task.isCancelled { throw StorageError(.cancelled, "the task was cancelled") }
        return all.map { $0.byteCount % 2 == 0 }
    }

    private func write(_ writes: EntryWrites) async throws(StorageError) -> Bool {
        try await queue.write(writes, to: 0) { (all) throws(StorageError) in try await send(all) }
    }

    /// Starts a write that stays in flight, and further ones that wait.
    private func begin(
        _ first: EntryWrites, _ others: [EntryWrites]
    ) async throws -> [Task<Bool, any Error>] {
        var tasks = [Task { try await write(first) }]
        while sent.withLock({ $0.isEmpty }) { await Task.yield() }
        for (index, other) in others.enumerated() {
            tasks.append(Task { try await write(other) })
            while queue.waitingCount(0) <= index { await Task.yield() }
        }
        return tasks
    }

    @Test
    func writesThatComeMeanwhileAreSentTogetherAndGetTheirOwnOutcomes() async throws {
        let others = try (0..<6).map { try writes($0 + 10) }
        let tasks = try await begin(try writes(), others)
        #expect(sent.withLock { $0 } == [1])
        // Another shard does not wait.
        #expect(try await queue.write(try writes(), to: 1) { (_) throws(StorageError) in [true] })
        gate.open()
        for (task, other) in zip(tasks.dropFirst(), others) {
            #expect(try await task.value == (other.byteCount % 2 == 0))
        }
        #expect(sent.withLock { $0 } == [1, 6])
        #expect(try await write(try writes(11)) == (try writes(11).byteCount % 2 == 0))
        #expect(sent.withLock { $0 } == [1, 6, 1])
    }

    @Test
    func anOperationHasNoMoreThanABatchMayHave() async throws {
        let large = try (0..<300).map { _ in try writes(60_000) }
        let tasks = try await begin(try writes(), large)
        gate.open()
        for task in tasks { _ = try await task.value }
        let counts = sent.withLock { $0 }
        #expect(counts.reduce(0, +) == 301)
        #expect(counts.count == 3)
        #expect(counts.allSatisfy { $0 * 60_000 <= ClusterLimits.bytesInBatch })
    }

    @Test
    func aTaskThatIsCancelledTakesNoOtherWriteWithIt() async throws {
        let tasks = try await begin(try writes(), [try writes(2), try writes(2), try writes(2)])
        // The first of those that wait sends all three, and is cancelled.
        tasks[1].cancel()
        gate.open()
        #expect(await code { _ = try await tasks[1].value } == .cancelled)
        _ = try await tasks[2].value
        _ = try await tasks[3].value
        #expect(sent.withLock { $0 } == [1, 3, 2])
    }

    @Test
    func anErrorIsThatOfEveryWriteOfTheOperation() async throws {
        let (queue, gate) = (queue, gate)
        let calls = Locked(0)
        let tasks = (0..<4).map { _ in
            Task {
                try await queue.write(try writes(), to: 0) { (_) throws(StorageError) in
                    calls.withLock { $0 += 1 }
                    await gate.pass()
                    throw StorageError(.indeterminate, "no answer")
                }
            }
        }
        while queue.waitingCount(0) < 3 { await Task.yield() }
        gate.open()
        for task in tasks { #expect(await code { _ = try await task.value } == .indeterminate) }
        #expect(calls.withLock { $0 } == 2)
    }

    @Test
    func concurrentWritesOfAShardAllHappen() async throws {
        let store = try ClusterFixture().store
        let namespace = try await store.createNamespace("b", layout: ClusterLayout(shards: 1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<50 {
                group.addTask {
                    for number in 0..<20 { try await namespace.set(number, forKey: "k\(task)") }
                    try await namespace.remove("k\((task + 25) % 50)x")
                }
            }
            try await group.waitForAll()
        }
        let entries = try await namespace.entries.array()
        #expect(try entries.map { try $0.value(as: Int.self) } == [Int](repeating: 19, count: 50))
    }
}
