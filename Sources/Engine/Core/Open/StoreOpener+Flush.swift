import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment

extension StoreOpener {
    /// True if opening may start threads.
    var usesThreads: Bool {
        if case .threads = environment.scheduling { return true }
        return false
    }

    /// The size from which a memtable is flushed in two parts in parallel, because opening mostly waits for
    /// compression.
    private static let partedBytes = 4 << 20

    /// Writes memtables, oldest first, to segments that no manifest names yet. Their content and their names are
    /// durable on return. On failure all of them are removed.
    func flush(
        _ memtables: [Memtable], _ parts: OpenParts, _ version: Version
    ) throws(StorageError) -> [ManifestEdit.Fact] {
        var facts: [ManifestEdit.Fact] = []
        var flushed: [Segment] = []
        do throws(StorageError) {
            for memtable in memtables {
                let older = OlderSegments(
                    loose: version.levels[0].segments + flushed, levels: Array(version.levels[1...]))
                for metadata in try run(jobs(memtable, parts, older), parts) {
                    facts.append(.segmentAdded(level: 0, metadata))
                    flushed.append(parts.makeSegment(metadata))
                }
            }
            if !facts.isEmpty, !PlantedBug.isActive(.skipReplayedName) { try parts.directories.syncSegments() }
        } catch {
            discard(facts, parts)
            throw error
        }
        return facts
    }

    /// Removes segments that no manifest names. If a removal fails, the file only takes space until the next open; the
    /// caller reports the original error.
    func discard(_ facts: [ManifestEdit.Fact], _ parts: OpenParts) {
        if PlantedBug.isActive(.keepFailedOpening) { return }
        var files = RemovedFiles()
        for case .segmentAdded(_, let metadata) in facts {
            for name in metadata.fileNames { files.remove(name, from: parts.directories.segments) }
        }
    }

    /// Returns one job for the memtable, or one for each half of its keys.
    private func jobs(_ memtable: Memtable, _ parts: OpenParts, _ older: OlderSegments) -> [FlushJob] {
        let now = parts.clock.now
        let horizon = Horizon(
            snapshots: [], wallMilliseconds: parts.clock.trusted, erasures: parts.erasures.snapshot())
        let job = {
            FlushJob(
                memtable: memtable, number: parts.fileNumbers.allocate(), segments: parts.directories.segments,
                options: options.compactionOptions(parts.segments.budget), horizon: horizon, older: older,
                isLast: false, createdMilliseconds: now,
                values: .copied(parts.values))
        }
        guard usesThreads, memtable.allocatedBytes >= StoreOpener.partedBytes, let middle = memtable.middleKey else {
            return [job()]
        }
        var halves = [job(), job()]
        halves[0].upper = middle
        halves[1].lower = middle
        return halves
    }

    /// Runs jobs in parallel. This thread runs the first job, and those for which no thread could be started. If one
    /// job fails, the segments of the others are removed.
    private func run(_ jobs: [FlushJob], _ parts: OpenParts) throws(StorageError) -> [SegmentMetadata] {
        var runs: [FlushRun] = []
        for job in jobs { runs.append(FlushRun(job)) }
        var threads: [WorkerThread] = []
        for run in runs.dropFirst() {
            do { threads.append(try WorkerThread.start(name: "shale-replay") { run.run() }) } catch { run.run() }
        }
        runs.first?.run()
        for thread in threads { thread.join() }
        var segments: [SegmentMetadata] = []
        var failure: StorageError?
        for run in runs {
            do throws(StorageError) {
                if let metadata = try run.result.withLock({ $0 }).get() { segments.append(metadata) }
            } catch {
                failure = failure ?? error
            }
        }
        guard let failure else { return segments }
        discard(segments.map { .segmentAdded(level: 0, $0) }, parts)
        throw failure
    }
}

/// A job and its result.
private final class FlushRun: @unchecked Sendable {
    private let job: FlushJob
    let result = Locked<Result<SegmentMetadata?, StorageError>>(.success(nil))

    init(_ job: FlushJob) { self.job = job }

    func run() {
        let outcome = Result { () throws(StorageError) in try job.run() }
        result.withLock { $0 = outcome }
    }
}
