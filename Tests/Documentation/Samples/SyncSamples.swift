import ShaleSync
import ShaleSyncServer
import Testing

private struct ToDo: Codable, Sendable, Equatable {
    var id: Int
    var title: String

    static let schema = RecordSchema<ToDo>(
        "todos", key: \.id, fields: [RecordField("id", \.id), RecordField("title", \.title)])
}

/// A server in the same process.
private struct LocalTransport: SyncTransport {
    let server: SyncServer

    func send(_ call: SyncCall, body: [UInt8]) async throws -> SyncReply {
        try await server.answer(call, body: body, user: "ada")
    }
}

@Suite struct SyncSamples {
    @Test func aClientIsInStepWithAServer() async throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        let transport = LocalTransport(server: SyncServer(try Store(at: place.path + "/server")))
        let sync = try SyncClient(store.user("ada"), transport: transport)
        let todos = try sync.collection(ToDo.schema, onConflict: .fieldByField)
        try await todos.insert(ToDo(id: 1, title: "Milk"))
        try await sync.synchronise()
        #expect(sync.status.pending == 0)

        for lost in try sync.keptVersions() {
            if let mine = lost.mine { print(try KeptVersion.record(mine, as: ToDo.self)) }
            try sync.removeKeptVersion(lost.id)
        }

        await sync.stop()
        try store.removeUser("ada")
    }

    @Test func theStatusIsAStream() async throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        let transport = LocalTransport(server: SyncServer(store))
        let sync = try SyncClient(store.user("ada"), transport: transport)
        let task = Task {
            for await status in sync.statuses() {
                print(status.pending, status.failingSinceMilliseconds ?? "in step")
            }
        }
        task.cancel()
        await task.value
    }

    @Test func aServerAnswersCalls() throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        let body = Array(#"{"client": "c", "collections": [{"name": "todos"}]}"#.utf8)
        let server = SyncServer(store)
        let reply = try server.answer(.pull, body: body, user: "ada")
        #expect(reply.status == 200)
    }
}
