import Shale
import ShaleBase

/// The reason for which a cycle ended early. Everything pending stays pending.
public struct SyncError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a reason.
    public enum Code: String, Sendable, Hashable {
        /// No reply came: ``SyncError/message`` has the error of the transport.
        case offline
        /// The server replied with a status that is no answer.
        case refused
        /// The reply does not follow the protocol.
        case malformedReply
        /// Replies follow the protocol and bring nothing forward: the server finds conflicts for ever, for example. The
        /// cycle ends after 32 of them.
        case stalled
        /// The store failed: ``SyncError/message`` has the error.
        case storage
        /// The synchronisation of the space has ended.
        case signedOut
        /// The task was cancelled.
        case cancelled
    }

    public let code: Code
    public let message: String
    /// The status of the reply, for `.refused`. 401 and 403 mean that the user has to sign in.
    public let status: Int?
    /// The time in seconds that the server asked to wait.
    public let retryAfterSeconds: Int?

    init(_ code: Code, _ message: String, status: Int? = nil, retryAfterSeconds: Int? = nil) {
        self.code = code
        self.message = message
        self.status = status
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// Translates an error of the engine.
    init(_ error: StorageError, reply: SyncReply? = nil) {
        switch error.code {
        case .signedOut: self.init(.signedOut, error.message)
        case .cancelled: self.init(.cancelled, error.message)
        case .syncRefused:
            self.init(.refused, error.message, status: reply?.status, retryAfterSeconds: reply?.retryAfterSeconds)
        case .syncStalled: self.init(.stalled, error.message)
        case .corruption where reply != nil: self.init(.malformedReply, error.message)
        default: self.init(.storage, "\(error.code.rawValue): \(error.message)")
        }
    }

    public var description: String { "\(code.rawValue): \(message)" }
}
