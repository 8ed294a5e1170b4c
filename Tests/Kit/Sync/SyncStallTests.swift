import Shale
import ShaleBase
import ShaleCollections
import ShalePlatform
import ShaleSync
import ShaleSyncServer
import Testing

/// Servers that keep to the form of the protocol and never come to an end.
@Suite struct SyncStallTests {
    private let sync: LoopbackSync

    init() throws { sync = try LoopbackSync() }

    /// Runs a cycle of a device with a pending change. Returns the reason for its end, and the number of calls.
    private func end(
        of device: Device, _ answer: @escaping @Sendable (SyncCall, SyncReply) throws -> SyncReply
    ) async throws -> (code: SyncError.Code?, calls: Int) {
        device.transport.setFilter(answer)
        let before = device.transport.calls.count
        do {
            try await device.client.synchronise()
            return (nil, device.transport.calls.count - before)
        } catch {
            return (error.code, device.transport.calls.count - before)
        }
    }

    private func pendingDevice() async throws -> Device {
        let device = try sync.device(1)
        try await device.todos.insert(ToDo(id: 1, title: "Milk"))
        return device
    }

    @Test func conflictsForEverEndTheCycleAndLoseNothing() async throws {
        let device = try await pendingDevice()
        let revisions = Locked<Int64>(0)
        let (code, calls) = try await end(of: device) { call, reply in
            guard call == .push else { return reply }
            let revision = revisions.withLock { revision in
                revision += 1
                return revision
            }
            let theirs = SyncVersion(
                revision: revision, stamp: SyncStamp(time: 1, count: 0, client: "x"),
                document: Array("{\"id\":1,\"isDone\":false,\"title\":\"theirs\"}".utf8))
            return SyncReply(status: 200, body: PushReply(time: 2, outcomes: [.conflict(theirs)]).encoded)
        }
        #expect(code == .stalled)
        #expect(calls <= 2 * SyncEngine.setbacksMax)
        #expect(try device.all() == [ToDo(id: 1, title: "Milk")])
        #expect(try device.client.engine.pendingCount() == 1)
    }

    @Test func postponingForEverEndsTheCycle() async throws {
        let device = try await pendingDevice()
        let (code, calls) = try await end(of: device) { call, reply in
            call == .pull ? reply : SyncReply(status: 200, body: PushReply(time: 2, outcomes: [.postponed]).encoded)
        }
        #expect(code == .stalled)
        #expect(calls <= 2 * SyncEngine.setbacksMax)
    }

    @Test(arguments: [ErrorReply.Repair.epoch, .client])
    func repairsForEverEndTheCycle(_ repair: ErrorReply.Repair) async throws {
        // The server takes nothing, or the pull after a repair would find the change there.
        var rules = SyncServer.Options()
        rules.refusal = { _ in "no" }
        let device = try LoopbackSync(rules).device(1)
        try await device.todos.insert(ToDo(id: 1, title: "Milk"))
        let (code, calls) = try await end(of: device) { call, reply in
            call == .pull ? reply : SyncReply(status: 409, body: ErrorReply(code: repair.rawValue, message: "").encoded)
        }
        #expect(code == .stalled)
        #expect(calls <= 3 * SyncEngine.setbacksMax)
    }

    @Test func forgettingEveryCursorEndsTheCycle() async throws {
        let device = try await pendingDevice()
        let (code, _) = try await end(of: device) { call, reply in
            guard call == .pull else { return reply }
            var page = try PullReply(reply.body)
            for index in page.collections.indices { page.collections[index].cursor = nil }
            return SyncReply(status: 200, body: page.encoded)
        }
        #expect(code == .stalled)
    }

    @Test func aPageThatLeavesItsCursorIsMalformed() async throws {
        let device = try await pendingDevice()
        let (code, calls) = try await end(of: device) { call, reply in
            guard call == .pull else { return reply }
            var page = try PullReply(reply.body)
            page.collections[0].cursor = "same"
            page.collections[0].hasMore = true
            return SyncReply(status: 200, body: page.encoded)
        }
        #expect(code == .malformedReply)
        #expect(calls == 2)
    }

    @Test func afterAStallTheNextCycleSends() async throws {
        let device = try await pendingDevice()
        _ = try await end(of: device) { call, reply in
            call == .pull ? reply : SyncReply(status: 200, body: PushReply(time: 2, outcomes: [.postponed]).encoded)
        }
        device.transport.setFilter(nil)
        try await device.client.synchronise()
        #expect(device.client.status.pending == 0)
        let other = try sync.device(2)
        try await other.client.synchronise()
        #expect(try other.all() == [ToDo(id: 1, title: "Milk")])
    }
}
