import ShaleBase
import ShaleLog
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment

/// The second half of an opening: after everything was read and checked, it prepares the store for use.
///
/// 1. The normal way flushes the replayed entries and begins a log and a manifest.
/// 2. If there is no space for that, it removes files that the current manifest does not need and tries the normal way
///    again.
/// 3. If that fails too, it serves the store from memory, with the old logs in use. ShaleEngine.docc, "Full disks".
struct StoreServing {
    let opener: StoreOpener
    let parts: OpenParts
    let replayed: ReplayedManifest
    let replay: LogReplay
    let lock: (any FileLock)?
    let isHolderUnnamed: Bool

    var state: StoreState { replayed.state }
    var directories: StoreDirectories { parts.directories }
    var lastSequence: SequenceNumber { max(state.lastSequence, replay.lastSequence) }
    private var newestLog: UInt64 { replay.logs.last?.number ?? 0 }

    func serve() throws(StorageError) -> OpenedStore {
        if let served = try serveFlushedIfThereIsSpace() { return served }
        let given = try releaseSpace()
        if given.isAnything, let served = try serveFlushedIfThereIsSpace() { return served }
        return try serveFromMemory(given)
    }

    /// Returns nil if there is no space; then nothing has changed.
    private func serveFlushedIfThereIsSpace() throws(StorageError) -> OpenedStore? {
        var isUndone = true
        do throws(StorageError) {
            return try serveFlushed(&isUndone)
        } catch {
            guard error.code == .noSpace, isUndone else { throw error }
            parts.shortages.add(1)
            return nil
        }
    }

    // MARK: With space

    /// Flushes the replayed entries, creates a new log's file, writes a new manifest that names both, begins the log,
    /// and removes unreferenced files. The old manifest is the current one until CURRENT names the new one.
    ///
    /// - Parameter isUndone: True on failure if all new files have been removed again.
    private func serveFlushed(_ isUndone: inout Bool) throws(StorageError) -> OpenedStore {
        let spare = makeSpare()
        let facts = try opener.flush(replay.memtables, parts, state.version)
        let draft: ManifestDraft
        let number: UInt64
        let memtable: Memtable
        do throws(StorageError) {
            do throws(IOFailure) {
                number = try spare.prepareFirst()
                memtable = Memtable(arena: try parts.arenas.take())
            } catch {
                throw error.storageError
            }
            draft = try Manifest.draft(
                in: directories.root, state: try next(facts, number), identity: replayed.current,
                fileNumbers: parts.fileNumbers, makeSegment: parts.makeSegment, owner: lock)
        } catch {
            opener.discard(facts, parts)
            throw spare.closed(after: error)
        }
        // From here on a failure leaves open which manifest is the current one.
        isUndone = false
        func beginLog() throws(StorageError) -> LogWriter {
            let end = LogPredecessor(
                number: replay.predecessor.number, size: replay.predecessor.size, lastSequence: lastSequence)
            do { return try spare.takeFirst(previous: end) } catch { throw error.storageError }
        }
        let early = PlantedBug.isActive(.beginLogEarly) ? try beginLog() : nil
        let manifest: Manifest
        do throws(StorageError) {
            manifest = try draft.makeCurrent(&isUndone)
        } catch {
            guard isUndone else { throw error }
            opener.discard(facts, parts)
            throw spare.closed(after: error)
        }
        // Only after CURRENT is durable. The replayed entries may never have been synced. If a crash took them back and
        // left the log's header, which continues them, the header would contradict the old manifest.
        let log = if let early { early } else { try beginLog() }
        let committer = Committer(
            log: log, memtable: memtable, lastSequence: lastSequence, erasures: parts.erasures,
            process: opener.environment.forks.mark, separation: parts.separation)
        let isRemoved = draft.removePrevious()
        let files = try StoreFiles(directories)
        let oldLogs = files.logs.filter { $0 != log.number }
        var report = self.report
        let held = heldOrphans(files, manifest.state)
        report.count(
            files.removeOrphans(state: manifest.state, keeping: draft.numbers, held: held, in: directories))
        report.removedFiles += oldLogs.count
        if !isRemoved { report.unremovedFiles += 1 }
        let view = View(mutable: memtable, immutables: [], version: manifest.state.version, logs: [log.number])
        return parts.opened(
            view, committer, manifest, spare, try makeReserve(), report, lock, manifest.state.catalogue,
            oldLogs: oldLogs, heldOrphans: held)
    }

    /// Returns the orphans that readers in other processes may hold. If the held positions can't be read, that are all.
    private func heldOrphans(_ files: StoreFiles, _ state: StoreState) -> HeldOrphans {
        let positions: [UInt64]
        do throws(IOFailure) {
            positions = try lock?.heldPositions() ?? []
        } catch {
            positions = [HoldPosition.everything]
        }
        let next = self.state.nextFileNumber
        let numbers = files.orphanSegments(state).filter {
            ReaderClaims.isHeld(ObsoleteFile.states(naming: $0, before: next), positions)
        }
        // A state that is held may have read the log of a value file without an edit that names the log.
        let values = positions.isEmpty ? [] : files.orphanValues(state, logs: [])
        return HeldOrphans(numbers: numbers, values: values, next: next)
    }

    /// Returns the state with the flushed segments and log `number`.
    private func next(_ facts: [ManifestEdit.Fact], _ number: UInt64) throws(StorageError) -> StoreState {
        let edit = ManifestEdit(
            facts + [.logFloor(number), .newestLog(number), .lastSequence(lastSequence)] + parts.clock.facts)
        do throws(ParseFailure) {
            return try state.applying(edit, makeSegment: parts.makeSegment)
        } catch {
            throw .corruption(
                "recovery contradicts the manifest: \(error.reason)",
                file: StoreLayout.manifest(replayed.current.manifestNumber), offset: 0)
        }
    }

    // MARK: Space

    /// Removes files that the current manifest does not need, and truncates the zeros at the ends of logs.
    ///
    /// First it makes that manifest durable. An edit that was read but never synced may be the reason why a file is not
    /// needed. If a power loss took that edit back, the file would be missing.
    private func releaseSpace() throws(StorageError) -> RemovedFiles {
        let files = try StoreFiles(directories)
        let oldLogs = files.unneededLogs(state, newest: newestLog)
        let isDurable = try Manifest.makeDurable(replayed, in: directories.root)
        guard isDurable else { return RemovedFiles() }
        var given = files.removeOrphans(
            state: state, keeping: [replayed.current.manifestNumber], logs: files.logs.filter { !oldLogs.contains($0) },
            streams: Set(replay.streams.values.flatMap(\.keys)), in: directories)
        for number in oldLogs { given.remove(StoreLayout.log(number), from: directories.logs) }
        for (number, end) in replay.logs where !oldLogs.contains(number) {
            given.cut(StoreLayout.log(number), to: end.contentEnd, in: directories.logs)
        }
        return given
    }

    // MARK: Without space

    /// Serves the replayed entries as memtables that wait for their flush. Their logs stay in use.
    private func serveFromMemory(_ given: RemovedFiles) throws(StorageError) -> OpenedStore {
        try makeLogsDurable()
        let reserve = try makeReserve()
        let manifest = try resumeManifest(reserve)
        if newestLog > manifest.state.newestLog { try name(newestLog, in: manifest) }
        let memtable: Memtable
        do { memtable = Memtable(arena: try parts.arenas.take()) } catch { throw error.storageError }
        let committer = Committer(
            log: nil, memtable: memtable, lastSequence: lastSequence, erasures: parts.erasures,
            process: opener.environment.forks.mark, separation: parts.separation)
        committer.streams = replay.streams
        let view = View(
            mutable: memtable, immutables: replay.memtables.reversed(), version: manifest.state.version,
            logs: [0] + replay.memtableLogs.reversed())
        var report = self.report
        report.count(given)
        report.isOutOfSpace = true
        let logs = try StoreFiles(directories).logs
        let oldLogs = Set(try StoreFiles(directories).unneededLogs(manifest.state, newest: newestLog))
        return parts.opened(
            view, committer, manifest, makeSpare(), reserve, report, lock, manifest.state.catalogue,
            oldLogs: oldLogs.sorted(),
            idleLogs: logs.filter { !oldLogs.contains($0) && !replay.memtableLogs.contains($0) })
    }

    /// Makes the logs durable that are served from memory. Served entries must be as durable as those in segments
    /// (contract D-4), and control operations follow them (D-3).
    private func makeLogsDurable() throws(StorageError) {
        do throws(IOFailure) {
            for (number, end) in replay.logs where state.logFloor != 0 {
                let name = StoreLayout.log(number)
                let file = try directories.logs.reopen(name)
                if !PlantedBug.isActive(.skipServedLogSync) { try file.sync() }
                let isOnMedium = try file.isOnMedium(first: end.offset)
                guard isOnMedium || PlantedBug.isActive(.trustPageCache) else {
                    throw IOFailure.outOfSpace("sync", StoreLayout.logPath(number))
                }
                try file.close()
                try makeValuesDurable(of: number)
            }
            if !replay.logs.isEmpty { try directories.logs.sync() }
        } catch {
            throw error.storageError
        }
    }

    /// Makes the value file of a log durable, if it has one, with its name.
    private func makeValuesDurable(of log: UInt64) throws(IOFailure) {
        let name = StoreLayout.values(log)
        guard try directories.segments.exists(name) else { return }
        let size = try directories.segments.sizeOfFile(name)
        let file = try directories.segments.reopen(name)
        try file.sync()
        guard try file.isOnMedium(first: size) else {
            throw IOFailure.outOfSpace("sync", StoreLayout.valuesPath(log))
        }
        try file.close()
        try directories.segments.sync()
    }

    /// Continues the old manifest, or writes a new one if the old one's own space is not allocated.
    private func resumeManifest(_ reserve: SpaceReserve) throws(StorageError) -> Manifest {
        do throws(StorageError) {
            return try Manifest.resume(
                replayed, in: directories.root, fileNumbers: parts.fileNumbers, makeSegment: parts.makeSegment,
                owner: lock)
        } catch {
            guard error.code == .noSpace else { throw error }
        }
        do throws(IOFailure) { _ = try reserve.release() } catch { throw error.storageError }
        return try Manifest.start(
            in: directories.root, state: state, identity: replayed.current, fileNumbers: parts.fileNumbers,
            makeSegment: parts.makeSegment, owner: lock)
    }

    /// Records the newest log in the manifest, so that the loss of its file is noticed. Skipped if there is no space
    /// for the edit.
    private func name(_ log: UInt64, in manifest: Manifest) throws(StorageError) {
        do throws(StorageError) {
            try manifest.commit(ManifestEdit([.newestLog(log)]))
        } catch {
            guard error.code == .noSpace, !manifest.hasFailed else { throw error }
            parts.shortages.add(1)
        }
    }

    // MARK: Parts

    private var report: RecoveryReport {
        var report = replay.report
        report.lastSequence = lastSequence
        report.isOpenToOthers = directories.root.isOpenToOthers
        report.isHolderUnnamed = isHolderUnnamed
        return report
    }

    private func makeSpare() -> SpareLog {
        SpareLog(
            directory: directories.logs, numbers: parts.fileNumbers, restBytes: parts.restLogBytes,
            firstBytes: parts.firstLogBytes, fullBytes: parts.logBytes, isMapped: parts.mapsLogs,
            hasValues: parts.logsMayHaveReferences,
            shortages: parts.shortages, owner: lock)
    }

    private func makeReserve() throws(StorageError) -> SpaceReserve {
        do { return try SpaceReserve(directory: directories.root) } catch { throw error.storageError }
    }
}

extension SpareLog {
    /// Removes the unused spare of an opening that failed with `failure`, and returns `failure`.
    fileprivate func closed(after failure: StorageError) -> StorageError {
        do { try close() } catch { return failure }
        return failure
    }
}

extension RecoveryReport {
    fileprivate mutating func count(_ files: RemovedFiles) {
        removedFiles += files.removed
        unremovedFiles += files.failed
    }
}
