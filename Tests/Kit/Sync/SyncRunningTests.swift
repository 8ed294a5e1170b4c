import Shale
import ShaleBase
import ShaleCollections
import ShalePlatform
import ShaleSync
import ShaleSyncServer
import TestSupport
import Testing

/// Running, failing, and ending.
@Suite struct SyncRunningTests {
    private let sync: LoopbackSync

    init() throws { sync = try LoopbackSync() }

    private func device(_ pacing: any SyncPacing) throws -> Device {
        try Device(
            try LoopbackSync.store(sync.time), sync.transport(), sync.time, SeededRandom(seed: 1), pacing: pacing)
    }

    @Test func theStatusTellsWhatIsPendingAndSinceWhenItFails() async throws {
        let a = try sync.device(1)
        var statuses = a.client.statuses().makeAsyncIterator()
        #expect(await statuses.next() == SyncStatus())
        try await a.todos.insert(ToDo(id: 1, title: "Milk"))
        a.transport.setDown(true)
        let since = sync.time.wallMilliseconds
        for _ in 0..<2 {
            await #expect(throws: SyncError.self) { try await a.client.synchronise() }
            sync.time.advance(milliseconds: 1000)
        }
        #expect(a.client.status.pending == 1)
        #expect(a.client.status.failures == 2)
        #expect(a.client.status.failingSinceMilliseconds == since)
        #expect(a.client.status.lastError?.code == .offline)
        a.transport.setDown(false)
        try await a.client.synchronise()
        var success = SyncStatus()
        success.lastSuccessMilliseconds = sync.time.wallMilliseconds
        #expect(a.client.status == success)
        #expect(await statuses.next() == success)
    }

    @Test func everyCallSendsWhatWasPendingBeforeIt() async throws {
        let a = try sync.device(1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 1...30 {
                group.addTask {
                    try await a.todos.insert(ToDo(id: id, title: "\(id)"))
                    try await a.client.synchronise()
                    let states = try a.client.engine.isPending("todos", try RecordKey(id))
                    #expect(!states)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func aRefusalHasItsStatusAndTheTimeToWait() async throws {
        let a = try sync.device(1)
        a.transport.setStatus(503)
        do {
            try await a.client.synchronise()
            Issue.record("it succeeded")
        } catch {
            #expect(error.code == .refused)
            #expect(error.status == 503)
            #expect(error.retryAfterSeconds == 3)
        }
    }

    @Test func aReplyThatIsNoneIsAnError() async throws {
        let a = try sync.device(1)
        a.transport.setStatus(200)
        await #expect(throws: SyncError.self) { try await a.client.synchronise() }
        #expect(a.client.status.lastError?.code == .malformedReply)
    }

    @Test func waitsDoubleUpToALimitAndAreRandom() {
        let options = SyncOptions()
        #expect(options.backOff(after: 1, requested: nil, fraction: 1) == 1000)
        #expect(options.backOff(after: 4, requested: nil, fraction: 1) == 8000)
        #expect(options.backOff(after: 4, requested: nil, fraction: 0.25) == 2000)
        #expect(options.backOff(after: 1000, requested: nil, fraction: 1) == 300_000)
        #expect(options.backOff(after: 1, requested: 30, fraction: 0) == 30_000)
    }

    @Test func aRunningClientSendsChangesByItselfAndWaitsAfterFailures() async throws {
        let pacing = SteppedPacing()
        let a = try device(pacing)
        a.transport.setDown(true)
        let run = Task { await a.client.run() }
        for _ in 0..<2 {
            await pacing.failure()
            pacing.goOn()
        }
        await pacing.failure()
        #expect(a.client.status.failures == 3)
        a.transport.setDown(false)
        pacing.goOn()
        _ = await a.client.statuses().first { $0.lastSuccessMilliseconds != nil }
        #expect(!a.transport.calls.contains(.push))
        try await a.todos.insert(ToDo(id: 1, title: "Milk"))
        _ = await a.client.statuses().first { _ in a.transport.calls.contains(.push) }
        run.cancel()
        await run.value
    }

    @Test func nothingIsWrittenAfterTheEnd() async throws {
        let a = try sync.device(1)
        try await a.todos.insert(ToDo(id: 1, title: "Milk"))
        a.client.engine.beginCycle()
        let exchange = try #require(try a.client.engine.prepare())
        let reply = try await sync.server.answer(exchange.call, body: exchange.body, user: "u")
        await a.client.stop()
        try a.store.removeUser("u")
        #expect(code { () throws(StorageError) in try a.client.engine.accept(exchange, reply) } == .signedOut)
        await #expect(throws: SyncError.self) { try await a.client.synchronise() }
        #expect(a.store.userIDs.isEmpty)
    }

    @Test func aReplyForAUserThatWasRemovedIsDiscarded() async throws {
        let a = try sync.device(1)
        let b = try sync.device(2)
        try await b.todos.insert(ToDo(id: 1, title: "Milk"))
        try await b.client.synchronise()
        a.client.engine.beginCycle()
        let exchange = try #require(try a.client.engine.prepare())
        let reply = try await sync.server.answer(exchange.call, body: exchange.body, user: "u")
        try a.store.removeUser("u")
        #expect(code { () throws(StorageError) in try a.client.engine.accept(exchange, reply) } == .signedOut)
        #expect(try a.store.user("u")["collections"].child("todos").count() == 0)
    }
}

/// Waits after failures until the test goes on, and between pulls until the task is cancelled. The test waits for
/// events and not for a time, because its tasks share two threads with all other tests.
private final class SteppedPacing: SyncPacing {
    private let (failures, failed) = AsyncStream<Void>.makeStream()
    private let (steps, stepped) = AsyncStream<Void>.makeStream()

    /// Returns when the client waits after a failure.
    func failure() async { for await _ in failures { return } }

    /// Ends the wait after a failure.
    func goOn() { stepped.yield() }

    func wait(milliseconds: Int64) async throws {
        let options = SyncOptions()
        switch milliseconds {
        case options.gatherMilliseconds: return
        case options.pullIntervalMilliseconds:
            let (never, continuation) = AsyncStream<Void>.makeStream()
            for await _ in never {}
            continuation.finish()
        default:
            failed.yield()
            for await _ in steps { return }
        }
    }
}
