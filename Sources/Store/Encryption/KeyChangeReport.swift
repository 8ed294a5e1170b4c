/// How far a change of a data key has come.
public struct KeyChangeProgress: Sendable, Hashable {
    /// Entries that were looked at, encrypted or not.
    public let examined: Int
    /// Values that were encrypted anew.
    public let rewritten: Int
    /// An estimate, 0 … 1. Rises.
    public let fraction: Double
}

/// What a change of a data key did.
public struct KeyChangeReport: Sendable, Hashable {
    /// Values that were encrypted anew.
    public let rewritten: Int
    /// Whether it finished a change that had begun before, under the key that was made then.
    public let isResumed: Bool
}
