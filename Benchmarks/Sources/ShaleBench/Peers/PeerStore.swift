/// The common part of all stores under test. One thread opens, uses and closes it.
protocol PeerStore {
    /// Opens the store; creates it if it is missing.
    func open() throws

    /// Ends all work and closes the store. All sessions have been released before.
    func close() throws

    /// Makes everything durable, and flushes the peer's memory to its files if the peer can.
    func flush() throws

    /// True if the peer reports pending background work. False if it can't tell.
    var isBusy: Bool { get }

    /// The peer's limit for all its memory in bytes, if it has one.
    var memoryBudgetBytes: Int? { get }
}

extension PeerStore {
    var isBusy: Bool { false }
    var memoryBudgetBytes: Int? { nil }
}
