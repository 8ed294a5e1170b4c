public import ShaleBase

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

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
    /// Paths with an age or a size are also cleaned up in the background, every ``StoreOptions/purgeInterval``, and by
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
