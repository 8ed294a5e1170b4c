import ShaleBase

/// The failures that a write survives after it has returned.
public enum Durability: Sendable, Hashable {
    /// Survives the death of the process at any instruction.
    ///
    /// The batch is in the operating system's page cache, stored through a mapping of the log or written by `pwrite`.
    ///
    /// A power loss may take the newest buffered batches, but never a batch while a later one stays.
    /// ``EngineOptions/syncInterval`` bounds the loss.
    case buffered
    /// Survives a power loss.
    ///
    /// The log was made durable by `fdatasync` (`F_FULLFSYNC` on Darwin), with everything before this batch. Concurrent
    /// batches share one sync.
    case synced
}
