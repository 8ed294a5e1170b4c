import ShaleBase

/// Files outside the store that a purge of everything cleans up too: see ``Store/registerPurgeable(_:under:)``.
///
/// In a list (JSON or property list) an entry has the keys `path`, `maximumAge` (seconds), `maximumBytes` and `trimTo`.
public struct PurgeablePath: Sendable, Hashable, Codable {
    /// Below the directory that it is registered under: components with `/` between them, each of which may hold the
    /// wildcards `*` and `?`. What it meets are files and links, which count themselves, and directories, which count
    /// with everything below them.
    public let path: String

    /// Files that have not changed for so many seconds go; `nil` = age does not matter.
    public let maximumAge: Double?

    /// When all files together take more bytes of the disk, the oldest go; `nil` = size does not matter.
    public let maximumBytes: Int64?

    /// To which share of ``maximumBytes`` they are brought down then, 0 … 1. Default ½.
    public let trimTo: Double?

    /// Without age and size everything goes at every purge. Checked when it is registered.
    public init(_ path: String, maximumAge: Double? = nil, maximumBytes: Int64? = nil, trimTo: Double? = nil) {
        self.path = path
        self.maximumAge = maximumAge
        self.maximumBytes = maximumBytes
        self.trimTo = trimTo
    }

    /// The patterns of the components. Throws `.invalidArgument` for what could lead out of the directory or is no limit.
    func checked() throws(StorageError) -> [KeyPattern] {
        let components = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !path.utf8.contains(0), components.allSatisfy({ !["", ".", ".."].contains($0) }) else {
            throw .invalid("a purgeable path is not a plain relative path")
        }
        guard maximumAge ?? 0 >= 0, maximumBytes ?? 0 >= 0, 0...1 ~= trimTo ?? 0 else {
            throw .invalid("a limit of a purgeable path is out of range")
        }
        return components.map { KeyPattern.glob(String($0)) }
    }
}

/// What a purge did with the files of one ``PurgeablePath``, or what a handler did.
public struct PurgeableReport: Sendable {
    /// The path as it was registered, or the handler's name.
    public let name: String
    /// What was removed; in a dry run, what would be.
    public internal(set) var files = 0
    /// Bytes of the disk that the file system got back.
    public internal(set) var returnedBytes: Int64 = 0
    /// What could not be looked at or removed. It stays, and the rest was done.
    public internal(set) var failures: [StorageError] = []
}
