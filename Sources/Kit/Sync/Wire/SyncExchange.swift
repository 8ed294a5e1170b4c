/// The calls of the protocol. Each is one POST request with a JSON body, to `BASE/v1/NAME`.
public enum SyncCall: String, Sendable, Hashable, CaseIterable {
    /// Sends changes to the server.
    case push
    /// Asks for the changes of others.
    case pull

    /// The path of the call below the base URL: `v1/push`.
    public var path: String { "v\(SyncLimits.version)/\(rawValue)" }
}

/// The reply to a call: a status of HTTP and a JSON body.
public struct SyncReply: Sendable, Hashable {
    /// 200 for an answer. 400 malformed, 401 not authenticated, 403 forbidden, 404 unknown call, 409 a state that the
    /// client must repair, 413 too large, 429 and 503 try again later.
    public var status: Int
    /// JSON, at most ``SyncLimits/messageBytes``.
    public var body: [UInt8]
    /// The time in seconds after which the client may ask again, from the field `Retry-After`.
    public var retryAfterSeconds: Int?

    /// Makes a reply.
    public init(status: Int, body: [UInt8], retryAfterSeconds: Int? = nil) {
        self.status = status
        self.body = body
        self.retryAfterSeconds = retryAfterSeconds
    }
}

/// Sends the calls of a client to its server, with the credentials of the user.
///
/// A client has at most one call in flight. An implementation may lose, repeat and delay calls: the protocol allows
/// for that.
public protocol SyncTransport: Sendable {
    /// Sends a call and returns the server's reply, whatever its status.
    ///
    /// - Throws: Any error means that no reply came. Whether the server has processed the call is unknown then.
    func send(_ call: SyncCall, body: [UInt8]) async throws -> SyncReply
}
