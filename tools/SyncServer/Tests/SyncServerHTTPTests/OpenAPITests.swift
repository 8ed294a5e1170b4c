import ShaleSync
import ShaleSyncServer
import SyncServerHTTP
import Synchronization
import Testing

/// The description of the protocol is that of the code: its limits, and the members of real messages.
@Suite struct OpenAPITests {
    private let document: OpenAPIDocument

    init() throws { document = try OpenAPIDocument() }

    private func limit(_ schema: String, _ property: String, _ name: String) -> Int64? {
        document.schema(schema)?.at("properties", property, name)?.number
    }

    @Test func theLimitsAreThoseOfTheCode() {
        #expect(document.json["openapi"]?.text == "3.1.0")
        #expect(document.json.at("info", "version")?.text == "\(SyncLimits.version)")
        for (schema, property) in [
            ("PushRequest", "changes"), ("PushReply", "results"), ("Page", "changes"),
        ] { #expect(limit(schema, property, "maxItems") == Int64(SyncLimits.changes), "\(schema)") }
        for schema in ["PullRequest", "PullReply"] {
            #expect(limit(schema, "collections", "maxItems") == Int64(SyncLimits.collections), "\(schema)")
        }
        for (schema, property) in [("Change", "collection"), ("Position", "name"), ("Page", "name")] {
            #expect(limit(schema, property, "maxLength") == Int64(SyncLimits.nameBytes), "\(schema)")
        }
        for schema in ["Change", "PulledChange"] {
            #expect(limit(schema, "key", "maxLength") == Int64(2 * SyncLimits.keyBytes), "\(schema)")
        }
        for (schema, property) in [
            ("PushRequest", "number"), ("Change", "base"), ("Applied", "revision"), ("Version", "revision"),
            ("PulledChange", "revision"), ("PullReply", "time"), ("PushReply", "time"),
        ] { #expect(limit(schema, property, "maximum") == SyncLimits.numberMax, "\(schema)") }
    }

    @Test func everyCallIsDescribed() {
        let paths = document.json["paths"]?.members ?? [:]
        #expect(Set(paths.keys) == Set(SyncCall.allCases.map { "/\($0.path)" } + ["/health"]))
    }

    /// The limits that JSON Schema can't express stand in the texts.
    @Test func theTextsNameTheOtherLimits() throws {
        let text = String(decoding: SyncService.openAPI, as: UTF8.self)
        for (limit, words) in [
            (SyncLimits.messageBytes, "8 MiB"), (SyncLimits.batchBytes, "2 MiB"), (SyncLimits.documentBytes, "1 MiB"),
        ] {
            #expect(text.contains(words))
            #expect(Int(words.prefix(1)).map { $0 << 20 } == limit)
        }
    }

    @Test func realMessagesHaveTheMembersThatAreDescribedAndAllOfThem() async throws {
        var rules = SyncServer.Options()
        rules.refusal = { change in
            change.document.map { String(decoding: $0, as: UTF8.self).contains("refused") } == true ? "no" : nil
        }
        var found: Set<String> = []
        try await RunningServer.with(rules: rules) { server in
            let recorder = Recorder(server.transport("ada"))
            let (a, b) = (try TestDevice(recorder), try TestDevice(recorder))
            try await a.todos.insert(ToDo(id: 1, title: "Milk"))
            try await a.todos.insert(ToDo(id: 2, title: "refused"))
            for device in [a, b] { try await device.client.synchronise() }
            try a.todos.modify(try RecordKey(1)) { $0.title = "Oat" }
            try await a.client.synchronise()
            try await b.client.synchronise()
            try await server.postponed(recorder)
            for message in recorder.messages {
                let schema = message.call == .push ? "Push" : "Pull"
                for (body, kind) in [(message.request, "Request"), (message.reply, "Reply")] {
                    let reference = try TestJSON(Array(##"{"$ref":"#/components/schemas/\##(schema)\##(kind)"}"##.utf8))
                    let problems = document.differences(try TestJSON(body), reference, schema + kind, &found)
                    #expect(problems.isEmpty, "\(String(decoding: body, as: UTF8.self).prefix(500))")
                }
            }
            let health = try TestJSON(try await server.send(.get, "/health").body)
            let reference = try TestJSON(Array(##"{"$ref":"#/components/schemas/Health"}"##.utf8))
            #expect(document.differences(health, reference, "Health", &found).isEmpty)
            let error = try TestJSON(try await server.call(.pull, "{").body)
            let errors = try TestJSON(Array(##"{"$ref":"#/components/schemas/Error"}"##.utf8))
            #expect(document.differences(error, errors, "Error", &found).isEmpty)
        }
        #expect(document.describedMembers.subtracting(found).isEmpty)
    }
}

/// Passes calls on, and keeps what was exchanged.
private final class Recorder: SyncTransport {
    struct Message: Sendable {
        let call: SyncCall
        let request: [UInt8]
        let reply: [UInt8]
    }

    private let transport: any SyncTransport
    private let recorded = Mutex<[Message]>([])

    init(_ transport: any SyncTransport) { self.transport = transport }

    var messages: [Message] { recorded.withLock { $0 } }

    func send(_ call: SyncCall, body: [UInt8]) async throws -> SyncReply {
        let reply = try await transport.send(call, body: body)
        if reply.status == 200 {
            recorded.withLock { $0.append(Message(call: call, request: body, reply: reply.body)) }
        }
        return reply
    }
}

extension RunningServer {
    /// Makes the messages that no test of two small devices brings about: a conflict, a document that is too large, and
    /// replies that are full.
    fileprivate func postponed(_ recorder: Recorder) async throws {
        let large = "{\"text\":\"\(String(repeating: "x", count: 1_000_000))\"}"
        var epoch = ""
        func push(_ number: Int, _ changes: [String]) async throws {
            let head = #"{"client":"hand","epoch":"\#(epoch)","number":\#(number),"nonce":"n","changes":["#
            _ = try await recorder.send(.push, body: Array((head + changes.joined(separator: ",") + "]}").utf8))
        }
        func change(_ key: Int, _ document: String, _ more: String = "") -> String {
            #"{"collection":"large","key":"0\#(key)","base":0,"time":1,"count":0\#(more),"document":\#(document)}"#
        }
        let page = try await recorder.send(.pull, body: Array(#"{"client":"hand","collections":[]}"#.utf8))
        epoch = try TestJSON(page.body)["epoch"]?.text ?? ""
        for number in 1...3 { try await push(number, [change(number, large)]) }
        try await push(4, (1...4).map { change($0 == 4 ? 1 : $0, "{}") } + [change(5, "null", #","tooLarge":true"#)])
        try await push(5, [change(6, "null", #","tooLarge":true"#), change(1, "{}")])
    }
}
