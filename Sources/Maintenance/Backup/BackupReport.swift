import ShaleBase

/// One backup in a backup directory.
public struct BackupInfo: Sendable, Hashable {
    /// The backup's number. Numbers start at 1 and grow.
    public let number: UInt64
    /// The time of the backup, in milliseconds since 1970.
    public let createdMilliseconds: Int64
    public let segments: Int
    /// The stored bytes of its segments, including those shared with other backups.
    public let storedBytes: UInt64
    public let entries: UInt64
    /// The number of files copied for this backup; 0 in lists.
    public internal(set) var copiedSegments = 0
    /// The bytes of those files; 0 in lists.
    public internal(set) var copiedBytes: UInt64 = 0
}

/// The options for making or restoring a backup.
public struct BackupOptions: Sendable {
    /// True if files are hard-linked where source and target are on one file system.
    ///
    /// Links take no time and no space, but source and target then share the bytes: damage to the medium affects both.
    public var linksFiles = false

    public init() {}
}
