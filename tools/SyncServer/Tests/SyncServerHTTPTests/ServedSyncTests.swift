import ShaleSync
import ShaleSyncServer
import SyncServerHTTP
import Testing

/// Clients and a server over real connections.
@Suite struct ServedSyncTests {
    @Test func twoDevicesAreInStep() async throws {
        try await RunningServer.with { server in
            let (a, b) = (try TestDevice(server.transport("ada")), try TestDevice(server.transport("ada")))
            try await a.todos.insert(contentsOf: (1...1200).map { ToDo(id: $0, title: "\($0)") })
            try await a.client.synchronise()
            try await b.client.synchronise()
            #expect(try b.all() == (try a.all()))
            try b.todos.delete(try RecordKey(7))
            try b.todos.modify(try RecordKey(8)) { $0.isDone = true }
            for device in [b, a] { try await device.client.synchronise() }
            #expect(try a.todos.count() == 1199)
            #expect(try b.all() == (try a.all()))
        }
    }

    @Test func aConflictIsMergedAndItsLoserKept() async throws {
        try await RunningServer.with { server in
            let (a, b) = (try TestDevice(server.transport("ada")), try TestDevice(server.transport("ada")))
            try await a.todos.insert(ToDo(id: 1, title: "Milk"))
            for device in [a, b] { try await device.client.synchronise() }
            for (device, title) in [(a, "Oat"), (b, "Soy")] {
                TestDevice.awaitLaterStamp()
                try device.todos.modify(try RecordKey(1)) { $0.title = title }
            }
            for device in [a, b, a] { try await device.client.synchronise() }
            #expect(try a.all().map(\.title) == ["Soy"])
            #expect(try b.all() == (try a.all()))
            #expect(try b.client.keptVersions().count == 1)
        }
    }

    @Test func usersDoNotSeeEachOtherOverHTTP() async throws {
        try await RunningServer.with { server in
            let (ada, grace) = (try TestDevice(server.transport("ada")), try TestDevice(server.transport("grace")))
            try await ada.todos.insert(ToDo(id: 1, title: "secret"))
            for device in [ada, grace] { try await device.client.synchronise() }
            #expect(try grace.all().isEmpty)
            try await server.service.server.removeUser("ada")
            try await grace.client.synchronise()
        }
    }

    @Test func theBasePathIsBeforeEveryCall() async throws {
        try await RunningServer.with {
            $0.basePath = "/sync"
        } _: { server in
            let device = try TestDevice(server.transport("ada", path: "/sync"))
            try await device.todos.insert(ToDo(id: 1, title: "Milk"))
            try await device.client.synchronise()
            #expect(try await server.send(.get, "/sync/health").status == 200)
            #expect(try await server.send(.get, "/health").status == 404)
        }
    }

    @Test func aRefusalOfTheRulesReachesTheDevice() async throws {
        var rules = SyncServer.Options()
        rules.refusal = { $0.key.isEmpty ? nil : "read-only" }
        try await RunningServer.with(rules: rules) { server in
            let device = try TestDevice(server.transport("ada"))
            try await device.todos.insert(ToDo(id: 1, title: "Milk"))
            try await device.client.synchronise()
            #expect(try device.all().isEmpty)
            #expect(try device.client.keptVersions().map(\.reason) == [.refused("read-only")])
        }
    }

    @Test func errorsTellTheClientWhatToDo() async throws {
        try await RunningServer.with { server in
            for (user, status) in [("mallory", 403), ("trouble", 503)] {
                let device = try TestDevice(server.transport(user))
                do throws(SyncError) {
                    try await device.client.synchronise()
                    Issue.record("\(user) synchronised")
                } catch {
                    #expect(error.code == .refused && error.status == status)
                    #expect((error.retryAfterSeconds != nil) == (status == 503))
                }
            }
        }
    }
}
