import ShaleBase

/// Files outside the store that a purge cleans up too. See ``Store/registerPurgeable(_:under:)``.
///
/// In a list (JSON or property list) an entry has the keys `path`, `maximumAge` (seconds), `maximumBytes` and `trimTo`.
public struct PurgeablePath: Sendable, Hashable, Codable {
    /// The path below the registered directory. Its components are separated by `/` and may contain the wildcards `*`
    /// and `?`.
    ///
    /// It matches files and links, and directories with everything below them.
    public let path: String

    /// Removes files that have not changed for this many seconds; `nil` means no limit of age.
    public let maximumAge: Double?

    /// Removes the oldest files if all files together take more than this many bytes of disk; `nil` means no limit of
    /// size.
    public let maximumBytes: Int64?

    /// The share of ``maximumBytes`` that the files are then reduced to, 0 … 1. Default ½.
    public let trimTo: Double?

    /// Describes files to purge. Without a limit of age or size every purge of everything removes all of them. The
    /// values are checked at registration.
    public init(_ path: String, maximumAge: Double? = nil, maximumBytes: Int64? = nil, trimTo: Double? = nil) {
        self.path = path
        self.maximumAge = maximumAge
        self.maximumBytes = maximumBytes
        self.trimTo = trimTo
    }

    /// Returns the patterns of the components. Throws `.invalidArgument` for a path that could leave the directory, and
    /// for limits out of range.
    func checked() throws(StorageError) -> [KeyPattern] {
        let components = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !path.utf8.contains(0), components.allSatisfy({ !["", ".", ".."].contains($0) }) else {
            throw .invalid("a purgeable path must be relative, without empty components, \".\" and \"..\"")
        }
        guard maximumAge ?? 0 >= 0, maximumBytes ?? 0 >= 0, 0...1 ~= trimTo ?? 0 else {
            throw .invalid("a purgeable path needs maximumAge and maximumBytes of at least 0 and trimTo in 0...1")
        }
        return components.map { KeyPattern.glob(String($0)) }
    }
}

/// The result of a purge for the files of one ``PurgeablePath``, or the result of one handler.
public struct PurgeableReport: Sendable {
    /// The path as it was registered, or the handler's name.
    public let name: String
    /// The number of files removed; in a dry run, the number that would be removed.
    public internal(set) var files = 0
    /// The number of bytes of disk that were freed; in a dry run, the number that would be.
    public internal(set) var returnedBytes: Int64 = 0
    /// The errors of items that could not be read or removed. These items stay; everything else was processed.
    public internal(set) var failures: [StorageError] = []
}
