public import ShaleBase

/// The result of applying purge policies in the background.
public enum PurgeEvent: Sendable {
    /// Entries or registered files were removed. The disk space of entries follows with compaction, that of files
    /// (``PurgeReport/outside``) is free.
    case applied(PurgeReport)
    /// Some policies could not be applied, or some registered files not removed. The rest was done; the next interval tries
    /// again.
    case failed(StorageError)
}

/// Which rule a purge goes by.
public enum PurgeRule: Sendable, Hashable {
    /// Everything purgeable goes.
    case everything
    /// `.policies` removes only the entries that each namespace's ``PurgePolicy`` selects and the files that the limits of
    /// each ``PurgeablePath`` select.
    case policies
}

extension Store {
    /// What happens to policies in the background. Each call gives a stream of its own, which ends with the store; of a
    /// reader that falls behind, the newest 64 events are kept.
    public var purgeEvents: AsyncStream<PurgeEvent> { core.purgeEvents.stream() }
}
