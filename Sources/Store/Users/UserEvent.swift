/// A change of the current user: see ``Store/userEvents``.
public enum UserEvent: Sendable, Hashable {
    /// There was no current user before.
    case signedIn(String)
    /// Another one took its place, in one step.
    case switched(from: String, to: String)
    /// The current user signed in again.
    case renewed(String)
    case signedOut(String)
}
