extension BackupFollower {
    /// The times and sizes at which a follower makes backups, and the time for which it keeps them.
    public struct Options: Sendable {
        /// The time between two moments while a backup is being made, at least 1 ms. At other times, the calls of
        /// ``BackupFollower/step(progress:)`` decide.
        public var interval = Duration.seconds(1)
        /// The time after which the next change makes a new backup. Restoring replays at most the changes of this time.
        public var backupInterval = Duration.seconds(600)
        /// The size of a shipped log, in bytes, from which the next change makes a new backup.
        public var logBytesMax: UInt64 = 256 << 20
        /// The time for which moments are kept. Older backups are removed if no moment of this time needs them, and if
        /// they have a shipped log. The newest one always stays, and so do backups that other functions made.
        public var keptTime = Duration.seconds(24 * 3600)
        /// The options for copying the files of backups.
        public var backup = BackupOptions()

        public init() {}
    }

    /// The result of a step.
    public enum Step: Sendable, Hashable {
        /// The store has not changed. Nothing was written.
        case unchanged
        /// Batches were shipped, in so many bytes, and a moment after them.
        case shipped(batches: UInt64, bytes: UInt64)
        /// A backup was made, and those with the numbers `removed` were removed.
        case backedUp(BackupInfo, removed: [UInt64])
    }
}
