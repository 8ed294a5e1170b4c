import ShaleBase

/// What a write survives once it has returned.
public enum Durability: Sendable, Hashable {
    /// The death of the process, at any instruction. The batch is in the operating system's page cache, written by one
    /// `write(2)` to the log. A power loss may take the newest buffered batches, never one before a later one that
    /// stays; ``EngineOptions/syncInterval`` bounds how many.
    case buffered
    /// Power loss. The log was made durable by `fdatasync` (`F_FULLFSYNC` on Darwin), and with it everything before
    /// this batch. Batches that wait at the same time share one sync.
    case synced
}
