import Shale
import ShaleBase
import ShaleCollections
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import ShaleSync
import ShaleSyncServer

/// A record of the tests.
struct ToDo: Codable, Sendable, Hashable {
    var id: Int
    var title: String
    var isDone = false
    var note: String?

    static let schema = RecordSchema<ToDo>(
        "todos", key: \.id,
        fields: [RecordField("id", \.id), RecordField("title", \.title, .notNull), RecordField("isDone", \.isDone)])
}

/// A server in memory, and devices beside it.
final class LoopbackSync: Sendable {
    let time = ManualTime()
    let store: Store
    let server: SyncServer

    init(_ options: SyncServer.Options = SyncServer.Options()) throws {
        store = try LoopbackSync.store(time)
        server = SyncServer(store, options: options, random: SeededRandom(seed: 7))
    }

    static func store(_ time: ManualTime, _ change: (inout Store.Options) -> Void = { _ in }) throws -> Store {
        let files = SimulatedFileSystem(seed: 1)
        return try store(time, files, change)
    }

    /// Opens a store on a simulated disk.
    static func store(
        _ time: ManualTime, _ files: SimulatedFileSystem, _ change: (inout Store.Options) -> Void = { _ in }
    ) throws -> Store {
        var options = Store.Options()
        change(&options)
        options.engine.time = time
        options.engine.memtableBytes = 256 << 10
        options.engine.memoryBudget = 8 << 20
        files.recordsOperations = false
        return try Store(
            at: "/store", options: options,
            environment: EngineEnvironment(fileSystem: files, random: SeededRandom(seed: 1), scheduling: .inline))
    }

    func transport(user: String = "u") -> LoopbackTransport { LoopbackTransport(server: server, user: user) }

    /// Makes a device with a store of its own.
    func device(
        _ seed: UInt64, rule: ConflictRule<ToDo> = .lastWriter, time: ManualTime? = nil, user: String = "u"
    ) throws -> Device {
        let time = time ?? self.time
        let store = try LoopbackSync.store(time)
        return try Device(store, transport(user: user), time, SeededRandom(seed: seed), rule, user)
    }
}

/// A device with one collection.
final class Device: Sendable {
    let store: Store
    let client: SyncClient
    let todos: RecordCollection<ToDo>
    let transport: LoopbackTransport

    init(
        _ store: Store, _ transport: LoopbackTransport, _ time: ManualTime, _ random: SeededRandom,
        _ rule: ConflictRule<ToDo> = .lastWriter, _ user: String = "u", pacing: any SyncPacing = SystemPacing()
    ) throws {
        self.store = store
        self.transport = transport
        client = try SyncClient(
            store.user(user), transport: transport,
            environment: SyncEnvironment(time: time, random: random, pacing: pacing))
        todos = try client.collection(ToDo.schema, onConflict: rule)
    }

    func all() throws -> [ToDo] { try todos.query().records() }
}

/// Calls a server in the same process, unless the network is down.
final class LoopbackTransport: SyncTransport {
    private struct State {
        var isDown = false
        var losesReply = false
        var status: Int?
        var filter: (@Sendable (SyncCall, SyncReply) throws -> SyncReply)?
        var calls: [SyncCall] = []
    }

    private let server: SyncServer
    private let user: String
    private let state = Locked(State())

    init(server: SyncServer, user: String) {
        self.server = server
        self.user = user
    }

    /// Without a network, nothing reaches the server.
    func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }
    /// The next call reaches the server, and its reply is lost.
    func loseReply() { state.withLock { $0.losesReply = true } }
    /// Every call gets this status; `nil` for the server's.
    func setStatus(_ status: Int?) { state.withLock { $0.status = status } }
    /// Every reply of the server passes through a closure; `nil` for none.
    func setFilter(_ filter: (@Sendable (SyncCall, SyncReply) throws -> SyncReply)?) {
        state.withLock { $0.filter = filter }
    }
    var calls: [SyncCall] { state.withLock { $0.calls } }

    func send(_ call: SyncCall, body: [UInt8]) async throws -> SyncReply {
        let now = state.withLock { state in
            defer { state.losesReply = false }
            state.calls.append(call)
            return state
        }
        if now.isDown { throw NoNetwork() }
        if let status = now.status { return SyncReply(status: status, body: Array("{}".utf8), retryAfterSeconds: 3) }
        let reply = try await server.answer(call, body: body, user: user)
        if now.losesReply { throw NoNetwork() }
        return try now.filter?(call, reply) ?? reply
    }
}

struct NoNetwork: Error {}
