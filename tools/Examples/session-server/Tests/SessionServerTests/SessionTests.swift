import SessionServer
import Testing

/// Sessions by requests over loopback.
@Suite struct SessionTests {
    @Test func aSessionIsMadeReadAndEnded() async throws {
        try await withServer { client, _ in
            let made = try await client.send("POST", "/sessions?user=ann")
            #expect(made.status == 201)
            let path = "/sessions/\(made.text)"
            for visits in 1...3 {
                let answer = try await client.send("GET", path)
                #expect(answer.status == 200)
                #expect(answer.text.contains("\"user\":\"ann\"") && answer.text.contains("\"visits\":\(visits)"))
            }
            #expect(try await client.send("DELETE", path).status == 204)
            #expect(try await client.send("GET", path).status == 404)
        }
    }

    @Test func requestsThatMakeNoSenseAreRefused() async throws {
        try await withServer { client, _ in
            let nobody = try await client.send("POST", "/sessions")
            #expect(nobody.status == 400)
            let unknown = try await client.send("GET", "/sessions/unknown")
            #expect(unknown.status == 404)
        }
    }

    @Test func aSessionEndsWhenItIsNotVisited() async throws {
        try await withServer(lifetime: .seconds(60)) { client, time in
            let path = "/sessions/\(try await client.create("ann"))"
            time.advance(seconds: 59)
            #expect(try await client.send("GET", path).status == 200)
            time.advance(seconds: 59)
            #expect(try await client.send("GET", path).status == 200)
            time.advance(seconds: 61)
            #expect(try await client.send("GET", path).status == 404)
        }
    }

    @Test func theMetricsEndpointShowsWhatTheStoreDid() async throws {
        try await withServer { client, _ in
            for user in ["ann", "bob"] { _ = try await client.create(user) }
            let answer = try await client.send("GET", "/metrics")
            #expect(answer.status == 200 && answer.type == "text/plain; version=0.0.4")
            #expect(answer.text.contains("# TYPE shale_operations_total counter\n"))
            #expect(answer.text.contains("# TYPE shale_operation_duration_seconds summary\n"))
            let operations = try #require(try await client.metric("shale_operations_total{store=\"sessions\"}"))
            #expect(operations >= 2)
            let poisoned = try await client.metric("shale_poisoned{store=\"sessions\"}")
            #expect(poisoned == 0)
            let writes = try await client.metric(
                "shale_operation_duration_seconds_count{store=\"sessions\",operation=\"write\",outcome=\"ok\"}")
            #expect(writes == 2)
        }
    }
}
