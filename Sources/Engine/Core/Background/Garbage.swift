import ShaleBase
import ShaleLog
import ShaleManifest
import ShalePlatform
import ShaleSegment
import Synchronization

/// Deletes segments and logs that no version refers to any more, once nobody uses them.
///
/// What uses such a file is kept here weakly. When it has gone, no view, cursor, pinned reader or running sync can reach
/// the file, and it is removed. Until then it stays, whole and readable. So nobody closes a file that has lost its name:
/// that would give its blocks back, which takes 70 ms for a log of 64 MiB where they are discarded on the device too.
final class Garbage: @unchecked Sendable {
    private struct Candidate {
        let directory: any Directory
        let name: String
        /// Of a segment; 0 for a log.
        let segmentBytes: UInt64
        weak var user: AnyObject?
    }

    private let segments: any Directory
    private let logs: any Directory
    private let domain: EpochDomain
    /// Held while files are deleted: whoever asks for that returns when what another thread had begun to delete is gone too.
    private let deleting = Lock()
    private let lock = Lock()
    private var candidates: [Candidate] = []
    private var deletedBytes: UInt64 = 0
    /// Of segments that are just being deleted.
    private var leavingBytes: UInt64 = 0

    init(segments: any Directory, logs: any Directory, domain: EpochDomain) {
        self.segments = segments
        self.logs = logs
        self.domain = domain
    }

    func add(_ segment: Segment) {
        lock.withLock {
            candidates.append(
                Candidate(
                    directory: segments, name: StoreLayout.segment(segment.number),
                    segmentBytes: segment.metadata.fileBytes, user: segment))
        }
    }

    /// `writer` is nil when it has gone already.
    func addLog(_ number: UInt64, _ writer: LogWriter?) {
        lock.withLock {
            candidates.append(
                Candidate(directory: logs, name: StoreLayout.log(number), segmentBytes: 0, user: writer))
        }
    }

    /// Deletes what can be deleted now. A file that can't be removed is tried again later; the next open removes it at
    /// the latest.
    func collect() throws(StorageError) {
        deleting.lock()
        defer { deleting.unlock() }
        domain.collect()
        let dead: [Candidate] = lock.withLock {
            // Each reference is looked at once: one that goes between two looks would be forgotten with its file.
            let count = candidates.partition { $0.user == nil }
            defer { candidates.removeSubrange(count...) }
            leavingBytes = candidates[count...].reduce(0) { $0 + $1.segmentBytes }
            return Array(candidates[count...])
        }
        var failure: IOFailure?
        for candidate in dead {
            do {
                try candidate.directory.removeInSteps(candidate.name)
                lock.withLock {
                    deletedBytes += candidate.segmentBytes
                    leavingBytes -= candidate.segmentBytes
                }
            } catch {
                // What has gone already needs no deletion, and a directory that somebody has made under the name of an old
                // log is not the engine's to remove.
                let isDone = error.isMissing || error.isWrongKind
                lock.withLock {
                    leavingBytes -= candidate.segmentBytes
                    if !isDone { candidates.append(candidate) }
                }
                if !isDone { failure = error }
            }
        }
        if let failure { throw failure.storageError }
    }

    /// How long ``collectAll()`` waits for readers. A call takes microseconds, or what a read from the disk takes; it is only
    /// a thread that the system does not let go on that needs longer.
    private static let patience: UInt64 = 1_000_000_000

    /// The same with what calls of other threads, of whatever store, still have in their hands: they are waited for. What
    /// remains is what cursors and snapshots hold.
    func collectAll() throws(StorageError) {
        if !isEmpty { _ = domain.quiesce(within: Garbage.patience) }
        try collect()
    }

    /// Whether anything waits for deletion.
    var isEmpty: Bool { lock.withLock { candidates.isEmpty } }

    /// Bytes of segments deleted since the engine was opened, and of those that still take space.
    var totals: (deletedBytes: UInt64, heldBytes: UInt64) {
        lock.withLock { (deletedBytes, candidates.reduce(leavingBytes) { $0 + $1.segmentBytes }) }
    }
}
