import Shale
import ShaleEngine

/// Work on a store that another process has open, done by that process. `failure` is the error of opening the store
/// for writing.
extension CompactCommand {
    func requestCompaction(_ failure: StorageError) throws -> CompactReport {
        guard compression == nil else {
            throw ToolFailure.usage(
                "the process that has the store open compresses with its own options: leave --compression out")
        }
        let engine = try StoreAccess.openEngine(store.path, .readOnly)
        let scope = try scope(engine)
        let purged = purge ? try purged(engine) : []
        try engine.close()
        let wait = OwnerWait("compact", isQuiet: output.quiet)
        let report = try wait.work(instead: failure) { (progress) throws(StorageError) in
            try Engine.requestCompaction(
                ofStoreAt: store.path, scope: scope, options: manner, purging: purged, progress: progress)
        }
        return CompactReport(
            report.compaction, storedBytesBefore: report.storedBytesBefore, storedBytesAfter: report.storedBytesAfter,
            seconds: wait.elapsed.seconds)
    }
}

extension PurgeCommand {
    func requestPurge(_ failure: StorageError) throws -> PurgedReport {
        let engine = try StoreAccess.openEngine(store.path, .readOnly)
        let namespaces = try purged(engine)
        try engine.close()
        let wait = OwnerWait("purge", isQuiet: output.quiet)
        let report = try wait.work(instead: failure) { (progress) throws(StorageError) in
            try Engine.requestPurge(ofStoreAt: store.path, of: namespaces, progress: progress)
        }
        return PurgedReport(report, seconds: wait.elapsed.seconds)
    }

    /// Returns the namespaces that the arguments name.
    private func purged(_ engine: Engine) throws -> [NamespaceID] {
        guard let namespace else {
            guard let user else { return engine.namespaces.map(\.id) }
            return engine.namespaces.filter { NamespacePath(catalogueName: $0.name)?.user == user }.map(\.id)
        }
        let path = try NamespacePath(namespace, user: user)
        guard let found = engine.namespace(named: path.catalogueName) else {
            throw ToolFailure.notFound("there is no namespace \(path.text)")
        }
        return [found.id]
    }
}

/// Waits for the work of the process that has a store open, and shows its progress.
private final class OwnerWait {
    private let progress: Progress

    init(_ label: Shown, isQuiet: Bool) { progress = Progress(label, isQuiet: isQuiet) }

    var elapsed: Duration { progress.elapsed }

    /// Runs `request`. If nobody accepts it, throws `failure` instead: then the lock is what is in the way.
    func work(
        instead failure: StorageError,
        _ request: ((CompactionProgress) throws(StorageError) -> Void) throws(StorageError) -> OwnerWorkReport
    ) throws(StorageError) -> OwnerWorkReport {
        defer { progress.erase() }
        Interruption.catchIt()
        do throws(StorageError) {
            return try request { (step) throws(StorageError) in
                try Interruption.check("interrupted: nothing is lost, and finished work stays")
                guard step.totalBytes > 0 else { return }
                progress.update(
                    fraction: step.fraction,
                    "\(Figures.bytes(step.readBytes)), \(Figures.byteRate(step.readBytes, progress.elapsed))")
            }
        } catch {
            guard error.code == .unavailable else { throw error }
            throw StorageError(
                .locked, "\(failure.message); \(error.message)", file: failure.file, cause: failure.cause)
        }
    }
}
