import Shale
import ShaleBase
import ShaleCollections
import ShalePlatform
import ShaleSync
import ShaleSyncServer
import TestSupport
import Testing

/// Two devices and a server in one process.
@Suite struct SyncClientTests {
    private let sync: LoopbackSync

    init() throws { sync = try LoopbackSync() }

    @Test func changesOfOneDeviceReachTheOther() async throws {
        let (a, b) = (try sync.device(1), try sync.device(2))
        try await a.todos.insert(ToDo(id: 1, title: "Milk"))
        try await a.todos.insert(ToDo(id: 2, title: "Bread"))
        try await a.client.synchronise()
        try await b.client.synchronise()
        #expect(try b.all() == (try a.all()))
        try b.todos.modify(try RecordKey(1)) { $0.isDone = true }
        try b.todos.delete(try RecordKey(2))
        try await b.client.synchronise()
        try await a.client.synchronise()
        #expect(try a.all() == [ToDo(id: 1, title: "Milk", isDone: true)])
    }

    @Test func whatWasPulledIsNotPending() async throws {
        let (a, b) = (try sync.device(1), try sync.device(2))
        try await a.todos.insert(ToDo(id: 1, title: "Milk"))
        try await a.client.synchronise()
        try await b.client.synchronise()
        #expect(try b.client.engine.pendingCount() == 0)
        #expect(b.transport.calls == [.pull])
    }

    @Test func changesThroughAQueryAreSent() async throws {
        let (a, b) = (try sync.device(1), try sync.device(2))
        try await a.todos.insert(contentsOf: (1...20).map { ToDo(id: $0, title: "\($0)") })
        try await a.client.synchronise()
        try await a.todos.query().modify { (record) throws(StorageError) in record.isDone = true }
        try await a.client.synchronise()
        try await b.client.synchronise()
        #expect(try b.all().filter(\.isDone).count == 20)
    }

    @Test func recordsFromBeforeTheSynchronisationAreSent() async throws {
        let store = try LoopbackSync.store(sync.time)
        let plain = try store.user("u").collection(ToDo.schema)
        try await plain.insert(contentsOf: (1...300).map { ToDo(id: $0, title: "\($0)") })
        let a = try Device(store, sync.transport(), sync.time, SeededRandom(seed: 1))
        try await a.client.synchronise()
        let b = try sync.device(2)
        try await b.client.synchronise()
        #expect(try b.todos.count() == 300)
    }

    @Test func aLostReplyAppliesNothingTwice() async throws {
        let rule = ConflictRule<ToDo>.merging { versions in
            var merged = versions.theirs ?? versions.mine
            merged?.title += "+"
            return merged
        }
        let a = try sync.device(1, rule: rule)
        try await a.client.synchronise()
        try await a.todos.insert(ToDo(id: 1, title: "Milk"))
        a.transport.loseReply()
        await #expect(throws: SyncError.self) { try await a.client.synchronise() }
        a.transport.loseReply()
        await #expect(throws: SyncError.self) { try await a.client.synchronise() }
        try await a.client.synchronise()
        #expect(try a.all() == [ToDo(id: 1, title: "Milk")])
        #expect(try a.client.keptVersions().isEmpty)
    }

    @Test func usersDoNotSeeEachOther() async throws {
        let (a, b) = (try sync.device(1, user: "ada"), try sync.device(2, user: "bob"))
        try await a.todos.insert(ToDo(id: 1, title: "Secret"))
        try await a.client.synchronise()
        try await b.client.synchronise()
        #expect(try b.all().isEmpty)
        try await b.todos.insert(ToDo(id: 1, title: "Other"))
        try await b.client.synchronise()
        try await a.client.synchronise()
        #expect(try a.all() == [ToDo(id: 1, title: "Secret")])
    }

    @Test func aUniqueFieldIsRefused() throws {
        let schema = RecordSchema<ToDo>(
            "unique", key: \.id, fields: [RecordField("id", \.id), RecordField("title", \.title, .unique)])
        let a = try sync.device(1)
        #expect(code { () throws(StorageError) in try a.client.collection(schema) } == .invalidArgument)
    }

    @Test func purgedRecordsStayAtTheServer() async throws {
        let a = try sync.device(1)
        try await a.todos.insert(ToDo(id: 1, title: "Milk"), options: .purgeable)
        try await a.client.synchronise()
        try await a.todos.insert(ToDo(id: 2, title: "Bread"), options: .purgeable)
        try await a.store.purge()
        try await a.client.synchronise()
        #expect(try a.client.engine.pendingCount() == 0)
        try a.client.resynchronise("todos")
        try await a.client.synchronise()
        #expect(try a.all() == [ToDo(id: 1, title: "Milk")])
    }

    @Test func membersOfANewerVersionSurviveAnOlderOne() async throws {
        struct NewToDo: Codable, Sendable, Hashable {
            var id: Int
            var title: String
            var isDone: Bool
            var colour: String?
        }
        let schema = RecordSchema<NewToDo>("todos", key: \.id, fields: [RecordField("id", \.id)])
        let store = try LoopbackSync.store(sync.time)
        let client = try SyncClient(
            store.user("u"), transport: sync.transport(),
            environment: SyncEnvironment(time: sync.time, random: SeededRandom(seed: 3)))
        let new = try client.collection(schema)
        try await new.insert(NewToDo(id: 1, title: "Milk", isDone: false, colour: "red"))
        try await client.synchronise()
        let old = try sync.device(2)
        try await old.client.synchronise()
        try old.todos.modify(try RecordKey(1)) { $0.isDone = true }
        try await old.client.synchronise()
        try await client.synchronise()
        #expect(try await new.query().records() == [NewToDo(id: 1, title: "Milk", isDone: true, colour: "red")])
    }

    @Test func aRecordThatCannotBeReadIsReadOnlyUntilItCan() async throws {
        struct StrangeToDo: Codable, Sendable { var id: Int, title: [Int] }
        let schema = RecordSchema<StrangeToDo>("todos", key: \.id, fields: [RecordField("id", \.id)])
        let a = try sync.device(1)
        try await a.todos.insert(ToDo(id: 1, title: "Milk"))
        try await a.client.synchronise()
        let strange = try SyncClient(
            try LoopbackSync.store(sync.time).user("u"), transport: sync.transport(),
            environment: SyncEnvironment(time: sync.time, random: SeededRandom(seed: 3)))
        let records = try strange.collection(schema)
        try await strange.synchronise()
        #expect(try records.count() == 0)
        try records.put(StrangeToDo(id: 2, title: [1]))
        try await strange.synchronise()
        try await a.client.synchronise()
        #expect(try a.all() == [ToDo(id: 1, title: "Milk")])
        #expect(code { () throws(StorageError) in try a.todos.put(ToDo(id: 2, title: "Mine")) } == .newerFormat)
    }
}
