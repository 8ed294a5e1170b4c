/// A change of the current user. See ``Store/userEvents``.
public enum UserEvent: Sendable, Hashable {
    /// A user signed in; there was no current user before.
    case signedIn(String)
    /// Another user replaced the current one in one step.
    case switched(from: String, to: String)
    /// The current user signed in again.
    case renewed(String)
    case signedOut(String)
}
