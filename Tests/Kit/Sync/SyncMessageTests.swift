import ShaleBase
import ShalePlatform
import ShaleSync
import TestSupport
import Testing

/// The messages of the protocol.
@Suite struct SyncMessageTests {
    private let version = SyncVersion(
        revision: 7, stamp: SyncStamp(time: 1_700_000_000_000, count: 3, client: "c\"\\\u{1}é"),
        document: Array("{\"a\":[1,{\"b\":\"}\"}],\"é\":null}".utf8))

    @Test func requestsAreReadAsTheyWereWritten() throws {
        var large = PushRequest.Change(
            address: SyncAddress("bücher", [0, 255]), base: 0, time: -5, count: .max, document: nil)
        large.isTooLarge = true
        let push = PushRequest(
            client: "c", epoch: "e", number: 3, nonce: "n",
            changes: [
                large,
                PushRequest.Change(
                    address: SyncAddress("notes", [1]), base: 12, time: 1, count: 0, document: version.document),
            ])
        #expect(try PushRequest(push.encoded) == push)
        let pull = PullRequest(
            client: "c", collections: [.init(name: "a", cursor: nil), .init(name: "b", cursor: "e.5.9")])
        #expect(try PullRequest(pull.encoded) == pull)
    }

    @Test func repliesAreReadAsTheyWereWritten() throws {
        let push = PushReply(
            time: 9,
            outcomes: [.applied(4), .conflict(version), .refused("no \"reason\"", .missing), .postponed])
        #expect(try PushReply(push.encoded) == push)
        let pull = PullReply(
            time: 9, epoch: "e",
            collections: [
                .init(name: "a", cursor: nil, hasMore: true, changes: []),
                .init(name: "b", cursor: "e.1", hasMore: false, changes: [.init(key: [1, 2], version: version)]),
            ])
        #expect(try PullReply(pull.encoded) == pull)
    }

    @Test func membersThatAreNotKnownAreSkipped() throws {
        let body = "{ \"new\" : [ { \"x\" : -1.5e3 } , true ] , \"time\" : 5 , \"results\" : [ ] , \"z\" : null }"
        #expect(try PushReply(Array(body.utf8)) == PushReply(time: 5, outcomes: []))
    }

    /// A member that is missing is never taken for a value: a version would be a deletion, a page would be empty.
    @Test(arguments: [
        #"{"epoch":"e","collections":[]}"#, #"{"time":1,"collections":[]}"#,
        #"{"time":1,"epoch":"e","collections":[{"name":"a","cursor":"c","more":false}]}"#,
        #"{"time":1,"epoch":"e","collections":[{"name":"a","cursor":"c","changes":[]}]}"#,
        #"{"time":1,"epoch":"e","collections":[{"name":"a","more":false,"changes":[{"key":"01","revision":1}]}]}"#,
        #"{"time":1,"epoch":"e","collections":[{"name":"a","more":false,"changes":[{"key":"01","document":1}]}]}"#,
    ])
    func aPageThatLacksAMemberIsRefused(_ page: String) {
        #expect(code { () throws(StorageError) in _ = try PullReply(Array(page.utf8)) } == .corruption)
    }

    @Test(arguments: [#"{"results":[]}"#, #"{"time":1,"results":[{"conflict":{"revision":1}}]}"#])
    func aReplyThatLacksAMemberIsRefused(_ reply: String) {
        #expect(code { () throws(StorageError) in _ = try PushReply(Array(reply.utf8)) } == .corruption)
    }

    @Test func textsWithEscapesAreRead() throws {
        var json = try JSONReader(Array("\"\\u00e9\\ud83d\\ude00\\n\\/\\\"\\ud800\"".utf8))
        #expect(try json.string() == "é😀\n/\"\u{FFFD}")
    }

    @Test(
        arguments: [
            ("-0", 0), ("50", 50), ("50.0", 50), ("-5e1", -50), ("9223372036854775807", Int64.max), ("5E+0 ", 5),
            ("5.5", nil), ("9223372036854775808", nil), ("1e300", nil), ("1e999", nil), ("\"5\"", nil), ("true", nil),
        ] as [(String, Int64?)])
    func wholeNumbersAreReadInEveryForm(_ text: String, _ number: Int64?) throws {
        var json = try JSONReader(Array(text.utf8))
        guard let number else {
            return #expect(code { () throws(StorageError) in _ = try json.integer() } == .corruption)
        }
        #expect(try json.integer() == number)
    }

    /// Bytes of a valid message are changed, left out and repeated: the parser refuses or reads, and never traps.
    @Test func damagedMessagesAreRefusedOrRead() throws {
        let random = SeededRandom(seed: 11)
        let push = PushRequest(
            client: "c", epoch: "e", number: 3, nonce: "n",
            changes: [
                PushRequest.Change(
                    address: SyncAddress("notes", [1]), base: 12, time: 1, count: 0, document: version.document)
            ]
        ).encoded
        let reply = PushReply(time: 9, outcomes: [.conflict(version), .applied(1)]).encoded
        for round in 0..<4000 {
            var bytes = round % 2 == 0 ? push : reply
            for _ in 0..<(1 + random.below(3)) {
                let index = random.below(bytes.count)
                switch random.below(3) {
                case 0: bytes[index] = Array("{}[],:\"0-n\\u".utf8)[random.below(12)]
                case 1: bytes.remove(at: index)
                default: bytes.insert(bytes[index], at: index)
                }
            }
            do throws(StorageError) {
                if round % 2 == 0 { _ = try PushRequest(bytes) } else { _ = try PushReply(bytes) }
            } catch {
                #expect(error.code == .corruption)
            }
        }
    }
}
