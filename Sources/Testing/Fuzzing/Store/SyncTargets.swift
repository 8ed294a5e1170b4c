import Shale
import ShaleBase
import ShaleCollections
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import ShaleSync
import ShaleSyncServer

extension FuzzTarget {
    /// Input: a byte that selects the call, then the body of a request to a server with records and a tombstone.
    static let syncRequest = FuzzTarget(
        "sync-request", "requests of clients: parsing, outcomes, the server's state after them",
        seeds: SyncSample.requests
    ) { input in
        guard let flags = input.first else { return }
        let (call, body): (SyncCall, [UInt8]) = (flags & 1 == 0 ? .pull : .push, Array(input.dropFirst()))
        try SyncSample.requireRoundTrip(call, body)
        let server = try SyncSample().server
        let reply = try server.answer(call, body: body, user: SyncSample.user)
        try require([200, 400, 409, 413].contains(reply.status), "a status that the protocol does not have")
        try require(reply.body.count <= SyncLimits.messageBytes, "a reply is too large")
        try require(try server.problems().isEmpty, "the server's state contradicts itself")
        guard reply.status == 200 else { return try require(try !ErrorReply(reply.body).code.isEmpty, "no code") }
        switch call {
        case .pull: _ = try PullReply(reply.body)
        case .push:
            let outcomes = try PushReply(reply.body).outcomes
            try require(try outcomes.count == PushRequest(body).changes.count, "a change without an outcome")
            let again = try server.answer(call, body: body, user: SyncSample.user)
            let repeated = try PushReply(again.body).outcomes
            for (first, second) in zip(outcomes, repeated) {
                guard case .applied = first else { continue }
                try require(first == second, "a repeated batch has other outcomes")
            }
        }
    }

    /// Input: a byte that selects the call and the status, then the body of a reply to a client with records that are
    /// in step, changed and new.
    static let syncReply = FuzzTarget(
        "sync-reply", "replies of servers: parsing, and the client's state after them", seeds: SyncSample.replies
    ) { input in
        guard let flags = input.first else { return }
        let call: SyncCall = flags & 1 == 0 ? .pull : .push
        let sample = try SyncSample()
        let exchange = try sample.exchange(call)
        let reply = SyncReply(status: flags & 2 == 0 ? 200 : 409, body: Array(input.dropFirst()))
        do throws(StorageError) {
            try sample.engine.accept(exchange, reply)
        } catch {
            try requireTyped(error, [.corruption, .syncRefused], namesPosition: false)
        }
        try require(try sample.records.verify().isSound, "an index disagrees with its records")
        let pending = try sample.engine.pendingCount()
        // A reply makes no record pending that was never here.
        try require(pending <= 4, "more is pending than was ever changed here")
        _ = try sample.engine.prepare()
    }
}

/// A server and a client that has been in step with it, and has changed a record and inserted another one since.
private struct SyncSample {
    struct Item: Codable, Sendable {
        var id: Int
        var text: String
        var count: Int?

        static let schema = RecordSchema<Item>(
            "items", key: \.id, fields: [RecordField("id", \.id), RecordField("text", \.text, .notNull)],
            indexes: [RecordIndex("byText", .ascending(\.text))])
    }

    static let user = "u"

    let server: SyncServer
    let engine: SyncEngine
    let records: RecordCollection<Item>
    private let client: SyncClient

    init() throws {
        let time = ManualTime()
        server = SyncServer(try SyncSample.store(time), random: SeededRandom(seed: 7))
        client = try SyncClient(
            try SyncSample.store(time).user(SyncSample.user), transport: NoTransport(),
            environment: SyncEnvironment(time: time, random: SeededRandom(seed: 8)))
        engine = client.engine
        records = try client.collection(Item.schema, onConflict: .fieldByField)
        for id in 1...3 { try records.insert(Item(id: id, text: "t\(id)")) }
        try settle()
        try records.delete(try RecordKey(3))
        try settle()
        try records.modify(try RecordKey(2)) { $0.count = 5 }
        try records.insert(Item(id: 4, text: "new"))
    }

    private static func store(_ time: ManualTime) throws(StorageError) -> Store {
        var options = Store.Options()
        options.engine.time = time
        options.engine.memtableBytes = 64 << 10
        options.engine.memoryBudget = 8 << 20
        options.engine.syncInterval = nil
        let files = SimulatedFileSystem(seed: 1)
        files.recordsOperations = false
        return try Store(
            at: "/store", options: options,
            environment: EngineEnvironment(fileSystem: files, random: SeededRandom(seed: 1), scheduling: .inline))
    }

    private func settle() throws(StorageError) {
        engine.beginCycle()
        while let exchange = try engine.prepare() { try engine.accept(exchange, try answer(exchange)) }
    }

    private func answer(_ exchange: SyncEngine.Exchange) throws(StorageError) -> SyncReply {
        try server.answer(exchange.call, body: exchange.body, user: SyncSample.user)
    }

    /// Returns the next open exchange of a kind, with honest replies to those before.
    func exchange(_ call: SyncCall) throws -> SyncEngine.Exchange {
        engine.beginCycle()
        while let exchange = try engine.prepare() {
            if exchange.call == call { return exchange }
            try engine.accept(exchange, try answer(exchange))
        }
        throw FuzzFinding("the client has nothing to send")
    }

    // MARK: Messages

    /// Checks that a request which is read is written so that it is read alike.
    static func requireRoundTrip(_ call: SyncCall, _ body: [UInt8]) throws {
        do throws(StorageError) {
            switch call {
            case .push:
                let request = try PushRequest(body)
                let isSame = try PushRequest(request.encoded) == request
                guard isSame else { throw .invalid("a batch changes when it is written again") }
            case .pull:
                let request = try PullRequest(body)
                let isSame = try PullRequest(request.encoded) == request
                guard isSame else { throw .invalid("a pull changes when it is written again") }
            }
        } catch {
            try requireTyped(error, namesPosition: false)
        }
    }

    static func requests() throws -> [[UInt8]] {
        let sample = try SyncSample()
        let (pull, push) = (try sample.exchange(.pull), try sample.exchange(.push))
        var batch = try PushRequest(push.body)
        batch.changes.append(contentsOf: batch.changes)
        batch.changes[0].isTooLarge = true
        batch.changes[1].document = nil
        let first = PullRequest(
            client: "c\u{1}é", collections: [.init(name: "items", cursor: nil), .init(name: "ü", cursor: "a.1.2")])
        return [
            [0] + pull.body, [0] + first.encoded, [1] + push.body, [1] + batch.encoded,
            [1] + Array(#"{"client":"c","epoch":"e","number":1,"nonce":"n","new":[{}],"changes":[]}"#.utf8),
        ]
    }

    static func replies() throws -> [[UInt8]] {
        let sample = try SyncSample()
        let (pull, push) = (try sample.exchange(.pull), try sample.exchange(.push))
        let page = try PullReply(try sample.answer(pull).body)
        let key = try RecordKey(2).bytes
        func version(_ revision: Int64, _ document: String?) -> SyncVersion {
            SyncVersion(
                revision: revision, stamp: SyncStamp(time: 5, count: 1, client: "x"),
                document: document.map { Array($0.utf8) })
        }
        func changed(_ body: (inout PullReply.Collection) -> Void) -> [UInt8] {
            var page = page
            body(&page.collections[0])
            return [0] + page.encoded
        }
        let own = #"{"count":6,"id":2,"new":[1,{"a":null}],"text":"theirs"}"#
        let outcomes: [PushOutcome] = [
            .applied(9), .conflict(version(9, own)), .refused("no", .missing), .postponed, .conflict(version(9, nil)),
        ]
        let changes: [PullReply.Change] = [
            .init(key: key, version: version(9, own)), .init(key: try RecordKey(1).bytes, version: version(10, nil)),
            .init(key: key, version: version(11, #"{"id":7,"text":1e9}"#)),
        ]
        var replies: [[UInt8]] = [
            [0] + page.encoded, changed { $0.changes = changes }, changed { $0.cursor = nil },
            changed { $0.hasMore = true }, [2] + ErrorReply(code: "epoch", message: "m").encoded,
            [3] + ErrorReply(code: "client", message: "").encoded, [1] + (try sample.answer(push).body),
        ]
        for (first, second) in zip(outcomes, outcomes.dropFirst()) {
            replies.append([1] + PushReply(time: 7, outcomes: [first, second]).encoded)
        }
        return replies
    }
}

/// The engine is driven by hand: nothing is sent.
private struct NoTransport: SyncTransport {
    func send(_ call: SyncCall, body: [UInt8]) async throws -> SyncReply {
        throw FuzzFinding("a request that nothing asked for")
    }
}
