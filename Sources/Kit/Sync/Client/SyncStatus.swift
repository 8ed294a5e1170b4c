/// The state of a synchronisation, for a user interface.
public struct SyncStatus: Sendable, Hashable {
    /// The number of records with changes that the server has not confirmed, as of the last cycle's beginning, end or
    /// reply.
    public var pending = 0
    /// True while a cycle runs.
    public var isSynchronising = false
    /// The end of the last cycle that left nothing to do, in milliseconds since 1970.
    public var lastSuccessMilliseconds: Int64?
    /// The time of the first failure since the last success, in milliseconds since 1970; `nil` if there was none.
    public var failingSinceMilliseconds: Int64?
    /// The number of failures since the last success.
    public var failures = 0
    /// The last failure since the last success.
    public var lastError: SyncError?

    public init() {}
}
