import ShaleBase

/// One backup in a backup directory.
public struct BackupInfo: Sendable, Hashable {
    /// Rising, from 1.
    public let number: UInt64
    /// When it was made, in milliseconds since 1970.
    public let createdMilliseconds: Int64
    public let segments: Int
    /// Stored bytes of its segments, whether or not other backups share them.
    public let storedBytes: UInt64
    public let entries: UInt64
    /// Files that were copied for it, and their bytes; 0 in lists.
    public internal(set) var copiedSegments = 0
    public internal(set) var copiedBytes: UInt64 = 0
}

/// How a backup is made.
public struct BackupOptions: Sendable {
    /// Whether files are hard-linked where source and backup are on one file system. That costs neither time nor space, but
    /// then both share the bytes: damage to the one's medium is damage to the other.
    public var linksFiles = false

    public init() {}
}
