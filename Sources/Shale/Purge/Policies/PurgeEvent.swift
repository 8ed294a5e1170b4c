public import ShaleBase

/// What became of purge policies in the background.
public enum PurgeEvent: Sendable {
    /// Entries went. Their disk space follows with compaction.
    case applied(PurgeReport)
    /// Policies could not be applied, or not all of them; tried again at the next interval.
    case failed(StorageError)
}

/// Which rule a purge goes by.
public enum PurgeRule: Sendable, Hashable {
    /// Everything purgeable goes.
    case everything
    /// What goes by the namespaces' ``PurgePolicy``.
    case policies
}

extension Store {
    /// What happens to policies in the background. Each call gives a stream of its own, which ends with the store; of a
    /// reader that falls behind, the newest 64 events are kept.
    public var purgeEvents: AsyncStream<PurgeEvent> { core.purgeEvents.stream() }
}
