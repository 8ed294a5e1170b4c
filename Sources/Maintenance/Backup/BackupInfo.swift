import Shale

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One backup in a backup directory.
public struct BackupInfo: Sendable, Hashable {
    /// The backup's number in its directory. Numbers start at 1 and grow. 0 for a backup in a stream.
    public let number: UInt64
    /// The time of the backup.
    public let created: Date
    /// The number of its segments, including those shared with other backups.
    public let segments: Int
    /// The number of value files that its segments use, including those shared with other backups.
    public let valueFiles: Int
    /// The bytes of these segments and value files.
    public let storedBytes: UInt64
    /// The number of entries in its segments, including deletions and old versions.
    public let entries: UInt64
    /// The number of segments copied for this backup; 0 in lists.
    public internal(set) var copiedSegments = 0
    /// The bytes of those segments, and of value files copied for this backup; 0 in lists.
    public internal(set) var copiedBytes: UInt64 = 0
    /// The time of the last moment in the backup's shipped log: see ``BackupFollower``. Until the next change of the
    /// store, its state stays the same. ``created`` if the backup has no such log or the log has no moment, and
    /// ``restored`` in the result of a restore.
    public internal(set) var restorableThrough: Date
    /// The moment that a restored store shows; `nil` if the backup was not restored.
    public internal(set) var restored: Date?

    init(
        number: UInt64, wallMilliseconds: Int64, segments: Int, valueFiles: Int, storedBytes: UInt64, entries: UInt64
    ) {
        self.number = number
        created = Date(millisecondsSince1970: wallMilliseconds)
        restorableThrough = created
        self.segments = segments
        self.valueFiles = valueFiles
        self.storedBytes = storedBytes
        self.entries = entries
    }
}

/// The options for making or restoring a backup.
public struct BackupOptions: Sendable {
    /// True if files are hard-linked where source and target are on one file system.
    ///
    /// Links take no time and no space, but source and target then share the bytes: damage to the medium affects both.
    public var linksFiles = false

    public init() {}
}
