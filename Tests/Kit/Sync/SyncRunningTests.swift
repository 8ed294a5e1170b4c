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
        let pacing = RecordedPacing()
        let a = try device(pacing)
        a.transport.setDown(true)
        let run = Task { await a.client.run() }
        #expect(await eventually { pacing.waits.count >= 3 })
        a.transport.setDown(false)
        #expect(await eventually { a.client.status.lastSuccessMilliseconds != nil })
        try await a.todos.insert(ToDo(id: 1, title: "Milk"))
        #expect(await eventually { a.transport.calls.contains(.push) })
        run.cancel()
        await run.value
    }

    @Test func nothingIsWrittenAfterTheEnd() async throws {
        let a = try sync.device(1)
        try await a.todos.insert(ToDo(id: 1, title: "Milk"))
        a.client.engine.beginCycle()
        let exchange = try #require(try a.client.engine.prepare())
        let reply = try sync.server.answer(exchange.call, body: exchange.body, user: "u")
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
        let reply = try sync.server.answer(exchange.call, body: exchange.body, user: "u")
        try a.store.removeUser("u")
        #expect(code { () throws(StorageError) in try a.client.engine.accept(exchange, reply) } == .signedOut)
        #expect(try a.store.user("u")["collections"].child("todos").count() == 0)
    }
}

/// Does not wait, except as long as an interval lasts: until it is cancelled.
private final class RecordedPacing: SyncPacing {
    private let recorded = Locked<[Int64]>([])

    var waits: [Int64] { recorded.withLock { $0 } }

    func wait(milliseconds: Int64) async throws {
        recorded.withLock { $0.append(milliseconds) }
        guard milliseconds == SyncOptions().pullIntervalMilliseconds else { return await Task.yield() }
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        await withTaskCancellationHandler {
            for await _ in stream {}
        } onCancel: {
            continuation.finish()
        }
    }
}
