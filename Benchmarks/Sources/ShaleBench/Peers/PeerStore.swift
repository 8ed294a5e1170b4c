/// What all stores under test have in common, whatever is kept in them. Opened, used and closed by one thread.
protocol PeerStore {
    /// Opens the store, which is made when it is missing.
    func open() throws

    /// Ends all work and closes. Sessions have been let go before.
    func close() throws

    /// Makes everything durable, and writes what is in memory to where the peer keeps it, if it can be asked to.
    func flush() throws

    /// Whether the peer says that it has work to do in the background. False when it can't tell.
    var isBusy: Bool { get }

    /// What it may use for everything, if it keeps within a limit; bytes.
    var memoryBudgetBytes: Int? { get }
}

extension PeerStore {
    var isBusy: Bool { false }
    var memoryBudgetBytes: Int? { nil }
}
