public import HTTPTypes

/// Tells the user of a request. The hook for an application's own sessions or tokens.
///
/// ```swift
/// struct Sessions: SyncAuthenticator {
///     func identify(_ fields: HTTPFields) async throws -> SyncIdentity {
///         guard let session = try await find(fields[.authorization]) else { return .unknown }
///         return session.maySynchronise ? .user(session.userID) : .forbidden
///     }
/// }
/// ```
public protocol SyncAuthenticator: Sendable {
    /// Returns the user of a request. Runs before the body is read, for each call, at any time and on any thread.
    ///
    /// - Parameter fields: The fields of the request's head, from anybody.
    /// - Throws: Any error: the call gets status 503, and the error becomes a line of the log.
    func identify(_ fields: HTTPFields) async throws -> SyncIdentity
}

/// The answer of a ``SyncAuthenticator``.
public enum SyncIdentity: Sendable, Hashable {
    /// The id of an authenticated user: 1 to 512 bytes.
    case user(String)
    /// No valid credentials: status 401. The client has to sign in.
    case unknown
    /// Valid credentials of a user that must not synchronise: status 403.
    case forbidden
}
