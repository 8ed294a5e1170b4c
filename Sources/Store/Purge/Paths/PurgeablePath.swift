public import ShaleBase

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

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

/// The request that a registered handler receives.
public struct PurgeHandlerRequest: Sendable {
    /// True if the handler should only report what it would do.
    public let isDryRun: Bool
}

/// The result that a handler reports: what it did, or in a dry run what it would do.
public struct PurgeHandlerResult: Sendable {
    public var files: Int
    public var returnedBytes: Int64

    public init(files: Int, returnedBytes: Int64) {
        self.files = files
        self.returnedBytes = returnedBytes
    }
}

/// Registration of files and handlers outside the store for purges. ``purge(_:by:progress:)`` of `.all` and its dry run
/// include them. The background includes paths with limits. A registration lasts until the store is closed.
extension Store {
    /// Registers files below the directory `root`, which need not exist yet.
    ///
    /// Below `root`, links are never followed and mount points never crossed; sockets, pipes and devices are left
    /// alone. The purge also removes empty directories below those that a path matches.
    ///
    /// Paths with an age or a size are also cleaned up in the background, every ``Store/Options/purgeInterval``, and by
    /// `.policies`. ``purgeEvents`` reports what the background removed or failed to remove. Paths without limits lose
    /// all files, so only a purge of everything cleans them up.
    ///
    /// ```swift
    /// try store.registerPurgeable([PurgeablePath("Caches/*", maximumAge: 7 * 86_400)], under: applicationDirectory)
    /// ```
    ///
    /// - Throws: `.invalidArgument` for paths that are not plain and relative, and for limits out of range; then no
    ///   path is registered.
    public func registerPurgeable(_ paths: [PurgeablePath], under root: String) throws(StorageError) {
        var checked: [PurgeRegistry.Path] = []
        for path in paths {
            checked.append(PurgeRegistry.Path(path: path, patterns: try path.checked(), root: root))
        }
        core.purgeRegistry.add(checked)
        let cleansItself = core.options.engine.mode != .readOnly && checked.contains(where: \.hasLimits)
        if cleansItself { try core.purgeScheduler.start(for: core) }
    }

    /// Registers the paths of a list: JSON or a property list that contains an array of ``PurgeablePath``s.
    ///
    /// - Throws: `.codecFailure` for anything else; the errors of ``registerPurgeable(_:under:)``.
    public func registerPurgeable(list: Data, under root: String) throws(StorageError) {
        try registerPurgeable(try PurgeablePathList.parse(list), under: root)
    }

    /// Registers a handler for purges of everything and their dry runs.
    ///
    /// It runs on the purging thread after the registered paths have been cleaned up. The report contains the error
    /// that it throws.
    public func registerPurgeable(
        named name: String,
        _ handler: @escaping @Sendable (PurgeHandlerRequest) throws(StorageError) -> PurgeHandlerResult
    ) {
        core.purgeRegistry.add(PurgeRegistry.Handler(name: name, body: handler))
    }
}

/// Parses lists of ``PurgeablePath``s that applications ship.
private enum PurgeablePathList {
    private static let binaryMagic = Array("bplist".utf8)
    /// The first byte of an XML property list. No JSON text starts with it.
    private static let xmlStart = UInt8(ascii: "<")

    static func parse(_ list: Data) throws(StorageError) -> [PurgeablePath] {
        let isBinary = list.starts(with: binaryMagic)
        if isBinary { try BinaryPropertyListChecker.check(list.bytes) }
        do {
            if isBinary || list.first == xmlStart {
                return try PropertyListDecoder().decode([PurgeablePath].self, from: list)
            }
            return try JSONDecoder().decode([PurgeablePath].self, from: list)
        } catch {
            throw StorageError(.codecFailure, "a list of purgeable paths can't be decoded", cause: error)
        }
    }
}
