import Shale
import ShaleBase
import ShaleCollections
import ShalePlatform
import ShaleSync
import ShaleSyncServer
import Testing

/// The server's rules, with requests made by hand.
@Suite struct SyncServerTests {
    private let sync: LoopbackSync
    private let epoch: String

    init() throws {
        var options = SyncServer.Options()
        options.tombstoneRetentionMilliseconds = 1000
        sync = try LoopbackSync(options)
        epoch = try SyncServerTests.pull(sync.server, nil).epoch
    }

    private static func pull(_ server: SyncServer, _ cursor: String?, user: String = "u") throws -> PullReply {
        let request = PullRequest(client: "c", collections: [.init(name: "todos", cursor: cursor)])
        return try PullReply(try server.answer(.pull, body: request.encoded, user: user).body)
    }

    private func change(_ key: UInt8, base: Int64, _ document: String?) -> PushRequest.Change {
        PushRequest.Change(
            address: SyncAddress("todos", [key]), base: base, time: sync.time.wallMilliseconds, count: 0,
            document: document.map { Array($0.utf8) })
    }

    private func push(
        _ changes: [PushRequest.Change], client: String = "c", number: Int64, nonce: String = "n"
    ) throws -> SyncReply {
        let request = PushRequest(client: client, epoch: epoch, number: number, nonce: nonce, changes: changes)
        return try sync.server.answer(.push, body: request.encoded, user: "u")
    }

    private func outcomes(_ reply: SyncReply) throws -> [PushOutcome] { try PushReply(reply.body).outcomes }

    @Test func aBatchThatIsRepeatedHasItsFirstOutcomes() throws {
        let changes = [change(1, base: 0, "{}"), change(2, base: 9, "{}")]
        let first = try outcomes(try push(changes, number: 1))
        #expect(first == [.applied(1), .conflict(.missing)])
        #expect(try outcomes(try push(changes, number: 1)) == first)
        #expect(try Self.pull(sync.server, nil).collections[0].changes.count == 1)
    }

    @Test func aNumberWithAnotherNonceIsAnotherClient() throws {
        _ = try push([change(1, base: 0, "{}")], number: 1)
        let reply = try push([change(2, base: 0, "{}")], number: 1, nonce: "other")
        #expect(reply.status == 409)
        #expect(try ErrorReply(reply.body).code == "client")
        #expect(try push([change(2, base: 0, "{}")], number: 7).status == 409)
    }

    @Test func aChangeOfAnotherVersionIsAConflict() throws {
        _ = try push([change(1, base: 0, "{\"a\":1}")], number: 1)
        let outcome = try outcomes(try push([change(1, base: 0, "{\"a\":2}")], client: "d", number: 1))
        guard case .conflict(let version) = outcome[0] else {
            Issue.record("\(outcome)")
            return
        }
        #expect(version.document == Array("{\"a\":1}".utf8))
        #expect(version.revision == 1)
    }

    @Test func aStampFromTheFutureIsThePresent() throws {
        var future = change(1, base: 0, "{}")
        future.time += 1_000_000_000
        _ = try push([future], number: 1)
        let version = try Self.pull(sync.server, nil).collections[0].changes[0].version
        #expect(version.stamp.time == sync.time.wallMilliseconds)
    }

    @Test func theLogHasOneEntryForEachRecord() throws {
        for number in 1...20 {
            _ = try push([change(1, base: Int64(number - 1), "{\"n\":\(number)}")], number: Int64(number))
        }
        #expect(try Self.pull(sync.server, nil).collections[0].changes.count == 1)
        #expect(try sync.server.problems().isEmpty)
    }

    @Test func aCursorBeforeARemovedTombstoneIsForgotten() throws {
        _ = try push([change(1, base: 0, "{}"), change(2, base: 0, "{}")], number: 1)
        let old = try #require(try Self.pull(sync.server, nil).collections[0].cursor)
        _ = try push([change(1, base: 1, nil)], number: 2)
        let new = try #require(try Self.pull(sync.server, old).collections[0].cursor)
        #expect(try sync.server.removeOutdated().tombstones == 0)
        sync.time.advance(milliseconds: 2000)
        #expect(try sync.server.removeOutdated().tombstones == 1)
        #expect(try Self.pull(sync.server, old).collections[0].cursor == nil)
        #expect(try Self.pull(sync.server, new).collections[0].cursor != nil)
        #expect(try Self.pull(sync.server, nil).collections[0].changes.map(\.key) == [[2]])
        #expect(try sync.server.problems().isEmpty)
    }

    /// The tombstone is gone, so the cursor is forgotten, and the sweep finds the record. The resynchronisation is
    /// interrupted before it ends, and its cursor outlives another upkeep.
    @Test func aDeviceThatWasAwayLearnsOfDeletions() async throws {
        let (a, b) = (try sync.device(1), try sync.device(2))
        try await a.todos.insert(contentsOf: (1...700).map { ToDo(id: $0, title: "\($0)") })
        for device in [a, b] { try await device.client.synchronise() }
        for id in [1, 300, 700] { try a.todos.delete(try RecordKey(id)) }
        try await a.client.synchronise()
        try await a.todos.insert(ToDo(id: 701, title: "new"))
        try b.todos.modify(try RecordKey(2)) { $0.isDone = true }
        sync.time.advance(milliseconds: 2000)
        #expect(try await sync.server.removeOutdated().tombstones == 3)
        let engine = b.client.engine
        for _ in 0..<2 {
            engine.beginCycle()
            let exchange = try #require(try engine.prepare())
            try engine.accept(
                exchange, try await sync.server.answer(exchange.call, body: exchange.body, user: "u"))
        }
        #expect(try b.todos.find(try RecordKey(1)) != nil)
        try a.todos.delete(try RecordKey(699))
        try await a.client.synchronise()
        sync.time.advance(milliseconds: 2000)
        #expect(try await sync.server.removeOutdated().tombstones == 1)
        for device in [b, a] { try await device.client.synchronise() }
        #expect(try b.all() == (try a.all()))
        #expect(try b.todos.count() == 697)
        #expect(try b.todos.find(try RecordKey(2))?.isDone == true)
    }

    @Test func pagesAndBatchesAreBounded() throws {
        let document = "{\"text\":\"\(String(repeating: "x", count: 900_000))\"}"
        for number in 1...6 { _ = try push([change(UInt8(number), base: 0, document)], number: Int64(number)) }
        var (cursor, pages, keys): (String?, Int, [UInt8]) = (nil, 0, [])
        repeat {
            let answer = try Self.pull(sync.server, cursor).collections[0]
            cursor = answer.cursor
            pages += 1
            keys += answer.changes.flatMap(\.key)
            if !answer.hasMore { break }
        } while pages < 10
        #expect(pages == 3)
        #expect(keys == [1, 2, 3, 4, 5, 6])
        let conflicts = try outcomes(
            try push((1...6).map { change($0, base: 99, "{}") }, client: "d", number: 1))
        #expect(conflicts.filter { $0 == .postponed }.count == 3)
        let tooMany = (0...SyncLimits.changes).map { _ in change(1, base: 0, "{}") }
        #expect(try push(tooMany, client: "e", number: 1).status == 400)
        #expect(
            try sync.server.answer(
                .push, body: [UInt8](repeating: 0x20, count: SyncLimits.messageBytes + 1), user: "u"
            ).status == 413)
    }

    @Test func aDocumentThatIsTooLargeIsRefused() throws {
        let large = "\"\(String(repeating: "x", count: SyncLimits.documentBytes))\""
        guard case .refused(_, let version) = try outcomes(try push([change(1, base: 0, large)], number: 1))[0] else {
            Issue.record("it was taken")
            return
        }
        #expect(version == .missing)
    }

    @Test(arguments: ["", "{", "[]", "{\"client\":1}", "{\"client\":\"c\",\"collections\":[{}]}", "null"])
    func aMalformedBodyIsRefused(_ body: String) throws {
        for call in SyncCall.allCases {
            #expect(try sync.server.answer(call, body: Array(body.utf8), user: "u").status == 400)
        }
    }

    @Test(arguments: ["collection", "key", "base", "time", "count", "document"])
    func aChangeThatLacksAMemberIsRefused(_ name: String) throws {
        let members = [
            "collection": "\"todos\"", "key": "\"01\"", "base": "0", "time": "1", "count": "0", "document": "{}",
        ]
        func push(_ members: [String: String]) throws -> Int {
            let change = members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
            let batch = #"{"client":"x","epoch":"\#(epoch)","number":1,"nonce":"n","changes":[{\#(change)}]}"#
            return try sync.server.answer(.push, body: Array(batch.utf8), user: "u").status
        }
        #expect(try push(members.filter { $0.key != name }) == 400)
        #expect(try push(members) == 200)
    }

    @Test(arguments: ["x", "1.2.3.4", "..", "e.-1", "e.99999999999999999999"])
    func aCursorThatIsNoneIsForgotten(_ cursor: String) throws {
        #expect(try Self.pull(sync.server, cursor).collections[0].cursor == nil)
    }

    @Test func anotherEpochVoidsRevisions() async throws {
        let a = try sync.device(1)
        try await a.todos.insert(ToDo(id: 1, title: "Milk"))
        try await a.client.synchronise()
        try sync.server.renewEpochs()
        try await a.todos.insert(ToDo(id: 2, title: "Bread"))
        try await a.client.synchronise()
        let b = try sync.device(2)
        try await b.client.synchronise()
        #expect(try b.all() == (try a.all()))
        #expect(try b.all().count == 2)
    }

    @Test func aServerThatWasPutBackGetsWhatItLacks() async throws {
        let a = try sync.device(1)
        try await a.todos.insert(ToDo(id: 1, title: "Milk"))
        try await a.client.synchronise()
        try sync.store.common["sync"].dropSubtree()
        try await a.client.synchronise()
        let b = try sync.device(2)
        try await b.client.synchronise()
        #expect(try b.all() == [ToDo(id: 1, title: "Milk")])
        #expect(try a.all() == (try b.all()))
    }
}
