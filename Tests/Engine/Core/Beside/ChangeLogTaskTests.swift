import ShaleBase
import ShaleEngine
import ShalePlatform
import TestSupport
import Testing

/// The change log as an asynchronous sequence.
@Suite struct ChangeLogTaskTests {
    @Test func theTaskSleepsForTheIntervalWhileThereIsNothingNew() async throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        let sleeps = Locked(0)
        let engine = store.engine
        let clock = HookedClock { duration in
            #expect(duration > .seconds(6) && duration <= .seconds(7))
            let count = sleeps.withLock { count in
                count += 1
                return count
            }
            // The third sleep is the one in which something is written.
            if count == 3 {
                var batch = WriteBatch()
                try batch.put([1], forKey: [1], in: ns)
                try batch.put([1], forKey: [2], in: ns)
                try engine.write(batch)
            }
        }
        let log = try engine.changeLog(pollInterval: .seconds(7), clock: clock)
        var iterator = log.makeAsyncIterator()
        let batch = try await iterator.next()
        #expect(batch?.sequences == 1...2 && batch?.changes.map(\.key) == [[1], [2]])
        #expect(sleeps.withLock { $0 } == 3)
        try engine.close()
    }

    @Test func aCancelledTaskEndsTheSequence() async throws {
        let store = try TestStore()
        try store.put("k", "v", in: store.namespace("n"))
        let (sleeps, sleep) = AsyncStream.makeStream(of: Void.self)
        let clock = HookedClock { _ in sleep.yield() }
        let log = try store.engine.changeLog(after: 0, pollInterval: .seconds(3600), clock: clock)
        let task = Task {
            var count = 0
            for try await batch in log { count += batch.changes.count }
            return count
        }
        for await _ in sleeps { break }
        task.cancel()
        #expect(try await task.value == 1)
        #expect(code { () throws(StorageError) in _ = try log.nextAvailable() } == .closed)
        #expect(store.engine.statistics.heldStates == 0)
        try store.engine.close()
    }

    @Test func badArgumentsAreRefused() throws {
        let store = try TestStore()
        #expect(
            code { () throws(StorageError) in _ = try store.engine.changeLog(pollInterval: .zero) }
                == .invalidArgument)
        try store.engine.close()
        #expect(code { () throws(StorageError) in _ = try store.engine.changeLog() } == .closed)
    }
}
