import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShalePlatform
import Synchronization

/// Work on a full disk: what fits goes on, what does not is tried again soon after there is space, and neither costs much.
///
/// 1. A flush that found no space had written some bytes, which its failure gave back. Another attempt needs more than these;
///    while so many can't be reserved it would fail in the same place, so nothing is written.
/// 2. After a compaction that found no space only smaller ones are picked. The bound falls with every failure, so this ends
///    in one that succeeds or in none. It goes when what would be picked without it can be reserved.
/// 3. Reserving is asked of the file system, not of its free space: that does not tell what a quota leaves.
/// 4. Purging, dropping, truncating, and files that were deleted, may have made space or work smaller: they end the pauses.
extension Background {
    /// Under `lock`.
    func flushMayFit(at now: UInt64) -> Bool {
        guard flushFailures.isOutOfSpace, core.hasImmutableMemtable else { return true }
        let needed = core.flushedBeforeFailure.load(ordering: .relaxed) + Background.slackBytes
        if unlocked({ core.canReserve(needed) }) { return true }
        flushFailures.failWithoutTrying(at: now)
        changed.broadcast()
        return false
    }

    /// Under `lock`: lifts the bound if what it holds back fits now.
    func lookForSpace(at now: UInt64) {
        guard outputMax != nil, now >= nextLook else { return }
        nextLook = now + Background.lookNanoseconds
        let picker = core.picker(busy: busy)
        guard let needed = picker.pick()?.outputBytesMax(picker.horizon) else {
            outputMax = nil
            return compactionFailures.clear()
        }
        if unlocked({ core.canReserve(needed + needed / 8 + Background.slackBytes) }) { outputMax = nil }
    }

    /// Under `lock`.
    func pick(_ picker: CompactionPicker, l0Only: Bool) -> CompactionJob? {
        guard let outputMax, !PlantedBug.isActive(.ignoreSpaceBound) else { return picker.pick(l0Only: l0Only) }
        return picker.pick(l0Only: l0Only, outputMax: outputMax)
    }

    /// Under `lock`: a job that may write so many bytes found no space. A smaller one may at once.
    func limitOutput(below bytes: UInt64, at now: UInt64) {
        outputMax = min(outputMax ?? .max, max(bytes, 1) - 1)
        compactionFailures.retryNow()
        nextLook = now + Background.lookNanoseconds
    }

    /// There may be space again, or work needs less of it.
    func spaceMayHaveReturned() {
        lock.withLock {
            if flushFailures.isOutOfSpace {
                core.flushedBeforeFailure.store(0, ordering: .relaxed)
                flushFailures.retryNow()
            }
            if compactionFailures.isOutOfSpace {
                compactionFailures.retryNow()
                nextLook = 0
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
    func tellOfSpace() {
        let isFull = isOutOfSpace
        let isNews = lock.withLock {
            defer { hasToldOfSpace = isFull }
            return hasToldOfSpace != isFull
        }
        if isNews { core.events.send(isFull ? .spaceExhausted : .spaceReturned) }
    }

    private static let lookNanoseconds: UInt64 = 1_000_000_000

    /// What an attempt needs beyond what it is known to need.
    private static let slackBytes: UInt64 = 64 << 10

    private func unlocked<R>(_ body: () -> R) -> R {
        lock.unlock()
        defer { lock.lock() }
        return body()
    }
}

extension EngineCore {
    /// Whether so many bytes can be allocated now. Where the file system can't tell, true.
    func canReserve(_ bytes: UInt64) -> Bool {
        let name = StoreLayout.segment(fileNumbers.allocate())
        var isFull = false
        do throws(IOFailure) {
            let file = try directories.segments.create(name)
            do throws(IOFailure) { try file.preallocate(bytes) } catch { isFull = error.isOutOfSpace }
            try file.close()
            try directories.segments.remove(name)
        } catch {
            // Other failures are for the work to meet and to report.
            isFull = isFull || error.isOutOfSpace
        }
        return !isFull
    }
}
