import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShalePlatform
import ShaleSegment

extension EngineCore {
    /// Executes a job whose inputs are reserved and makes its result the current version.
    ///
    /// 1. The outputs are synced, then their names, then the edit.
    /// 2. The inputs are deleted only after the edit is durable and the last view that shows them has gone.
    /// 3. A crash in between leaves files that nothing refers to.
    @discardableResult
    func run(
        _ job: CompactionJob, _ horizon: Horizon, _ options: CompactionOptions? = nil,
        progress: ((UInt64) throws(StorageError) -> Void)?
    ) throws(StorageError) -> CompactionStatistics {
        let began = clock.monotonicNanoseconds
        var statistics = CompactionStatistics()
        var facts: [ManifestEdit.Fact] = []
        switch job.kind {
        case .move:
            for input in job.inputs {
                facts += input.segments.map { .segmentMoved($0.number, from: input.level, to: job.outputLevel) }
            }
        case .drop:
            facts = removals(job)
        case .merge, .rewrite:
            let done = try merge(job, horizon, options ?? compaction, progress)
            statistics = done.statistics
            facts = removals(job) + done.outputs.map { .segmentAdded(level: job.outputLevel, $0) }
        }
        let next = try install(ManifestEdit(facts)) { $0.compacted(into: $1) }
        if job.kind != .move {
            let replaced = job.replacedInputs.flatMap(\.segments)
            for segment in replaced { obsoleteFiles.add(segment, before: next) }
            releaseValues(ofSegments: replaced, before: next)
        }
        counters.record(job, statistics)
        events.send(
            .compacted(
                CompactionEvent(
                    kind: job.kind.rawValue, inputSegments: job.segments.count, outputLevel: job.outputLevel,
                    readBytes: statistics.readBytes, writtenBytes: statistics.writtenBytes,
                    duration: .nanoseconds(clock.monotonicNanoseconds - began))))
        return statistics
    }

    /// Merges the job's inputs. The outputs and their names are durable on return.
    private func merge(
        _ job: CompactionJob, _ horizon: Horizon, _ options: CompactionOptions,
        _ progress: ((UInt64) throws(StorageError) -> Void)?
    ) throws(StorageError) -> RangedCompaction.Result {
        let names = directories.segmentNames.mark
        let work = RangedCompaction(
            job, horizon: horizon, options: options, directory: directories.segments,
            allocateNumber: { [fileNumbers] in fileNumbers.allocate() })
        let done = try work.run(createdMilliseconds: clock.now) { [self] (bytes) throws(StorageError) in
            try checkStopping()
            try progress?(bytes)
        }
        do {
            if !done.outputs.isEmpty, !PlantedBug.isActive(.skipCompactedName) {
                try directories.syncSegments(since: names)
            }
        } catch {
            CompactionRun.discard(done.outputs, in: directories.segments)
            throw error
        }
        return done
    }

    private func removals(_ job: CompactionJob) -> [ManifestEdit.Fact] {
        job.replacedInputs.flatMap { input in input.segments.map { .segmentRemoved($0.number, level: input.level) } }
    }

    private func checkStopping() throws(StorageError) {
        guard let background, background.lock.withLock({ background.isStopping }) else { return }
        throw StorageError(.cancelled, "the store is closing")
    }
}
