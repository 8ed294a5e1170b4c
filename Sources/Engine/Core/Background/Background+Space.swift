import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShalePlatform
import Synchronization

/// Work on a full disk. Work that fits continues; work that doesn't fit is retried soon after space returns, at little
/// cost.
///
/// 1. A flush that finds no space has written some bytes, and its failure freed them. The next attempt needs more bytes
///    than that. While they can't be reserved it would fail at the same point, so nothing is written.
/// 2. After a compaction that finds no space, only smaller ones are picked. Every failure lowers the bound, so this
///    ends with a compaction that succeeds or with none. The bound is lifted when the job that would be picked without
///    it can be reserved. A small job may have failed only because another job, a flush or a new log held the space at
///    that moment. So a bound that excludes every job is raised to what can be reserved.
/// 3. The engine tries a reservation instead of reading the free space, because the free space ignores quotas.
/// 4. Purging, dropping, truncating and deleting files may free space or shrink the work, so they end the pauses.
extension Background {
    /// Returns false while a flush that found no space would fail again. Under `lock`.
    func flushMayFit(at now: UInt64) -> Bool {
        guard flushFailures.isOutOfSpace, core.hasImmutableMemtable else { return true }
        let needed = core.flushedBeforeFailure.load(ordering: .relaxed) + Background.slackBytes
        if unlocked({ core.canReserve(needed) }) { return true }
        // Meanwhile a caller may have asked for an attempt at once, and then waits for the outcome of that attempt.
        guard flushFailures.isOutOfSpace else { return true }
        flushFailures.failWithoutTrying(at: now)
        changed.broadcast()
        return false
    }

    /// Lifts the bound if the job that it holds back fits now. If no job is within the bound, raises it to the largest
    /// half, quarter and so on of that job's output that can be reserved. Under `lock`.
    func probeForSpace(at now: UInt64) {
        guard outputMax != nil, now >= nextSpaceProbe else { return }
        nextSpaceProbe = now + Background.spaceProbeNanoseconds
        let picker = core.picker(busy: busy)
        guard let needed = picker.pick()?.outputBytesMax(picker.horizon) else {
            outputMax = nil
            return compactionFailures.clear()
        }
        if unlocked({ canWrite(needed) }) {
            outputMax = nil
            return
        }
        guard pick(picker, l0Only: false) == nil else { return }
        var fitting = needed / 2
        while fitting > outputMax ?? .max, !unlocked({ canWrite(fitting) }) { fitting /= 2 }
        outputMax = outputMax.map { max($0, fitting) }
    }

    /// True if a job with an output of `bytes` can be expected to find space.
    private func canWrite(_ bytes: UInt64) -> Bool {
        core.canReserve(bytes + bytes / 8 + min(bytes, Background.slackBytes))
    }

    /// Picks a job within the bound on its output, if there is one. Under `lock`.
    func pick(_ picker: CompactionPicker, l0Only: Bool) -> CompactionJob? {
        guard let outputMax, !PlantedBug.isActive(.ignoreSpaceBound) else { return picker.pick(l0Only: l0Only) }
        return picker.pick(l0Only: l0Only, outputMax: outputMax)
    }

    /// Records that a job that may write `bytes` found no space. A smaller job may start at once. Under `lock`.
    func limitOutput(below bytes: UInt64, at now: UInt64) {
        outputMax = min(outputMax ?? .max, max(bytes, 1) - 1)
        compactionFailures.retryNow()
        nextSpaceProbe = now + Background.spaceProbeNanoseconds
    }

    /// Ends the pauses after a lack of space, because space may have returned or the work may need less.
    func spaceMayHaveReturned() {
        lock.withLock {
            if flushFailures.isOutOfSpace {
                core.flushedBeforeFailure.store(0, ordering: .relaxed)
                flushFailures.retryNow()
            }
            if compactionFailures.isOutOfSpace {
                compactionFailures.retryNow()
                nextSpaceProbe = 0
            }
            changed.broadcast()
        }
    }

    /// True if flushes, compactions or the first log wait for space.
    var isOutOfSpace: Bool {
        core.isWithoutLog.load(ordering: .relaxed)
            || lock.withLock { flushFailures.isOutOfSpace || compactionFailures.isOutOfSpace }
    }

    /// Notifies observers if the state changed.
    func reportSpace() {
        let isFull = isOutOfSpace
        let hasChanged = lock.withLock {
            defer { reportedOutOfSpace = isFull }
            return reportedOutOfSpace != isFull
        }
        if hasChanged { core.events.send(isFull ? .spaceExhausted : .spaceReturned) }
    }

    private static let spaceProbeNanoseconds: UInt64 = 1_000_000_000

    /// The space that an attempt needs beyond the known amount.
    private static let slackBytes: UInt64 = 64 << 10

    private func unlocked<R>(_ body: () -> R) -> R {
        lock.unlock()
        defer { lock.lock() }
        return body()
    }
}

extension EngineCore {
    /// True if `bytes` can be allocated now, or if the file system can't tell.
    func canReserve(_ bytes: UInt64) -> Bool {
        let name = StoreLayout.segment(fileNumbers.allocate())
        var isFull = false
        do throws(IOFailure) {
            let file = try directories.segments.create(name)
            do throws(IOFailure) { try file.preallocate(bytes) } catch { isFull = error.isOutOfSpace }
            try file.close()
            try directories.segments.remove(name)
        } catch {
            // The work itself meets and reports other failures.
            isFull = isFull || error.isOutOfSpace
        }
        return !isFull
    }
}
