/// The progress of a change of a data key.
public struct KeyChangeProgress: Sendable, Hashable {
    /// The number of entries examined, encrypted or not.
    public let examined: Int
    /// The number of values encrypted again.
    public let rewritten: Int
    /// The estimated fraction of the work that is done, 0 … 1. Never falls.
    public let fraction: Double
}

/// The result of a change of a data key.
public struct KeyChangeReport: Sendable, Hashable {
    /// The number of values encrypted again.
    public let rewritten: Int
    /// True if this call finished a change that an earlier call had begun, using the key made then.
    public let isResumed: Bool
}
