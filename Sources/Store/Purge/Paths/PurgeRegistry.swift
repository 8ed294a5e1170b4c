import ShaleBase
import ShalePlatform

/// The paths and handlers that an application registered for purges. Thread-safe.
final class PurgeRegistry: Sendable {
    struct Path: Sendable {
        let path: PurgeablePath
        let patterns: [KeyPattern]
        let root: String

        /// True if the path has limits, so that `.policies` cleans it up too. A path without limits loses all files, so
        /// only an explicit purge of everything cleans it up.
        var hasLimits: Bool { path.maximumAge != nil || path.maximumBytes != nil }
    }

    struct Handler: Sendable {
        let name: String
        let body: @Sendable (PurgeHandlerRequest) throws(StorageError) -> PurgeHandlerResult
    }

    private struct State: Sendable {
        var paths: [Path] = []
        var handlers: [Handler] = []
    }

    private let state = Locked(State())

    func add(_ paths: [Path]) { state.withLock { $0.paths += paths } }

    func add(_ handler: Handler) { state.withLock { $0.handlers.append(handler) } }

    /// Cleans up all paths, then calls all handlers, in the order of registration. With `.policies` only paths with
    /// limits are cleaned up. The reports contain the failures; only an error of `check`, which cancels, is thrown.
    func run(
        atMilliseconds now: Int64, isDry: Bool, rule: PurgeRule, _ check: @escaping () throws(StorageError) -> Void
    ) throws(StorageError) -> [PurgeableReport] {
        var (paths, handlers) = state.withLock { ($0.paths, $0.handlers) }
        if rule == .policies {
            paths.removeAll { !$0.hasLimits }
            handlers = []
        }
        var reports: [PurgeableReport] = []
        for path in paths {
            guard let root = PurgeRegistry.open(path, &reports) else { continue }
            var sweep = PathSweep(path.path, path.patterns, root, check)
            reports.append(try sweep.run(atMilliseconds: now, isDry: isDry))
        }
        for handler in handlers {
            try check()
            var report = PurgeableReport(name: handler.name)
            do throws(StorageError) {
                let result = try handler.body(PurgeHandlerRequest(isDryRun: isDry))
                report.files = result.files
                report.returnedBytes = result.returnedBytes
            } catch {
                report.failures = [error]
            }
            reports.append(report)
        }
        return reports
    }

    /// Opens the directory of a path. Returns `nil` if it can't be opened, with a report; a missing directory is no
    /// failure.
    private static func open(_ path: Path, _ reports: inout [PurgeableReport]) -> TreeDirectory? {
        do throws(IOFailure) {
            return try TreeDirectory(openedAt: path.root)
        } catch {
            var report = PurgeableReport(name: path.path.path)
            if !error.isMissing { report.failures = [error.storageError] }
            reports.append(report)
            return nil
        }
    }
}
