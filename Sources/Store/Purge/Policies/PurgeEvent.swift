public import ShaleBase

/// The result of applying purge policies in the background.
public enum PurgeEvent: Sendable {
    /// Entries or registered files were removed. Compaction frees the disk space of entries later; the space of files
    /// (``PurgeReport/outside``) is free.
    case applied(PurgeReport)
    /// Some policies could not be applied, or some registered files could not be removed. The rest was done; the next
    /// interval tries again.
    case failed(StorageError)
}

/// The rule that selects what a purge removes.
public enum PurgeRule: Sendable, Hashable {
    /// Removes all purgeable entries, and cleans up all registered paths and handlers.
    case everything
    /// Removes only the entries that each namespace's ``PurgePolicy`` selects and the files that the limits of each
    /// ``PurgeablePath`` select.
    case policies
}

extension Store {
    /// The results of applying policies in the background.
    ///
    /// Each call returns a new stream, which ends when the store is closed. If a reader falls behind, its stream keeps
    /// the newest 64 events.
    public var purgeEvents: AsyncStream<PurgeEvent> { core.purgeEvents.stream() }
}
