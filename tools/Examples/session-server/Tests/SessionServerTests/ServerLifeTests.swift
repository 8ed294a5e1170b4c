import ShaleObservability
import Testing

/// The program as a process that is started and ended.
@Suite struct ServerLifeTests {
    @Test func sessionsOutliveTheServer() async throws {
        let place = Place()
        let first = try ServerProcess(in: place.path)
        let id = try await first.client.create("ann")
        #expect(try await first.client.send("GET", "/sessions/\(id)").status == 200)
        #expect(first.terminate() == 0)
        let second = try ServerProcess(in: place.path)
        let answer = try await second.client.send("GET", "/sessions/\(id)")
        #expect(answer.status == 200 && answer.text.contains("\"visits\":2"))
        #expect(second.terminate() == 0)
    }

    @Test func aTerminatedServerHasClosedItsStore() async throws {
        let place = Place()
        let server = try ServerProcess(in: place.path)
        _ = try await server.client.create("ann")
        #expect(server.terminate() == 0)
        let store = try Store(at: place.path)
        #expect(store.recovery.replayedBatches == 0)
        #expect(store.health.isGood)
        try await store.close()
    }
}
