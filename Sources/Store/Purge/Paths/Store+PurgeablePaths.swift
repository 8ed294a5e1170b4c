public import ShaleBase

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a handler is asked for.
public struct PurgeHandlerRequest: Sendable {
    /// Whether only to tell what would be done.
    public let isDryRun: Bool
}

/// What a handler did, or would do.
public struct PurgeHandlerResult: Sendable {
    public var files: Int
    public var returnedBytes: Int64

    public init(files: Int, returnedBytes: Int64) {
        self.files = files
        self.returnedBytes = returnedBytes
    }
}

/// Things outside the store that ``purge(_:by:progress:)`` of `.all` and its dry run take along, and the background if they
/// have limits. Registered for as long as the store is open.
extension Store {
    /// Registers files below the directory `root`, which need not exist yet. Links are never followed below it, mount
    /// points not crossed, sockets, pipes and devices left alone; a directory that the purge empties goes too, other than
    /// the one that the path meets. Throws `.invalidArgument` for paths that are not plain and relative, and for limits
    /// out of range: then none is registered.
    ///
    /// Paths with an age or a size are also cleaned up in the background, every ``StoreOptions/purgeInterval``, and by
    /// `.policies`. ``purgeEvents`` tells what the background removed and what it failed to remove. Paths without limits lose
    /// everything, so they are cleaned up only by a purge of everything.
    ///
    /// ```swift
    /// try store.registerPurgeable([PurgeablePath("Caches/*", maximumAge: 7 * 86_400)], under: applicationDirectory)
    /// ```
    public func registerPurgeable(_ paths: [PurgeablePath], under root: String) throws(StorageError) {
        var checked: [PurgeRegistry.Path] = []
        for path in paths {
            checked.append(PurgeRegistry.Path(path: path, patterns: try path.checked(), root: root))
        }
        core.purgeRegistry.add(checked)
        let cleansItself = core.options.engine.mode != .readOnly && checked.contains(where: \.hasLimits)
        if cleansItself { try core.purgeScheduler.start(for: core) }
    }

    /// Registers the paths of a list: JSON, or a property list, whose top is an array of ``PurgeablePath``s. Throws
    /// `.codecFailure` for anything else, and as ``registerPurgeable(_:under:)``.
    public func registerPurgeable(list: Data, under root: String) throws(StorageError) {
        try registerPurgeable(try PurgeablePathList.parse(list), under: root)
    }

    /// Registers work of the application's own. It runs on the thread that purges, after everything else, and is told
    /// when the purge is a dry run. What it throws is in the report.
    public func registerPurgeable(
        named name: String,
        _ handler: @escaping @Sendable (PurgeHandlerRequest) throws(StorageError) -> PurgeHandlerResult
    ) {
        core.purgeRegistry.add(PurgeRegistry.Handler(name: name, body: handler))
    }
}
