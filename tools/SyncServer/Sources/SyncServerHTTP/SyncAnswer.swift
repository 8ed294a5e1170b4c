import HTTPTypes
import Hummingbird
import NIOCore
import ShaleSyncServer

/// The answer to a request, before it is a response.
struct SyncAnswer: Sendable {
    var status: Int
    var body: [UInt8]
    var fields: HTTPFields = [:]
    /// False if the body of the request was not read: the connection is closed then.
    var isRequestRead = true
    /// The size of the request's body.
    var received = 0
    /// The id of the call's user, for the log at level debug.
    var user: String?

    /// The reason in words, for the log.
    var failure: String?

    init(_ reply: SyncReply) {
        status = reply.status
        body = reply.body
        if let seconds = reply.retryAfterSeconds { fields[.retryAfter] = "\(seconds)" }
    }

    init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }

    /// Makes an answer that is an error of the protocol.
    static func failure(_ status: HTTPResponse.Status, _ code: String, _ message: String) -> SyncAnswer {
        // Neither of the texts has a character that JSON escapes.
        SyncAnswer(status: status.code, body: Array(#"{"error":"\#(code)","message":"\#(message)"}"#.utf8))
    }

    /// An answer that is sent without reading the request's body.
    func withoutReading() -> SyncAnswer {
        var answer = self
        answer.isRequestRead = false
        return answer
    }

    func with(_ name: HTTPField.Name, _ value: String) -> SyncAnswer {
        var answer = self
        answer.fields[name] = value
        return answer
    }

    /// Makes the response. Its body holds the slot until it is written.
    func response(holding slot: CallSlot?) -> Response {
        var fields = fields
        fields[.contentType] = "application/json"
        fields[.cacheControl] = "no-store"
        if !isRequestRead { fields[.connection] = "close" }
        let buffer = ByteBuffer(bytes: body)
        let body = ResponseBody(contentLength: buffer.readableBytes) { writer in
            try await writer.write(buffer)
            try await writer.finish(nil)
            withExtendedLifetime(slot) {}
        }
        return Response(status: .init(code: status), headers: fields, body: body)
    }
}
