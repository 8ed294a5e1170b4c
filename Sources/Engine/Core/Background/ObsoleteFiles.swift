import ShaleBase
import ShaleLog
import ShaleManifest
import ShalePlatform
import ShaleSegment
import Synchronization

/// Deletes segments and logs that no version refers to any more, once nothing uses them.
///
/// This object refers weakly to the user of each file. After the user's release no view, cursor, pinned reader or
/// running sync can reach the file, and it is removed. Until then the file stays, whole and readable.
///
/// So no `close` has to free the blocks of an unlinked file. That takes 70 ms for a log of 64 MiB if the device
/// discards the blocks too.
final class ObsoleteFiles: @unchecked Sendable {
    private struct Candidate {
        let directory: any Directory
        let name: String
        /// The size of a segment; 0 for a log.
        let segmentBytes: UInt64
        weak var user: AnyObject?
    }

    private let segments: any Directory
    private let logs: any Directory
    private let domain: EpochDomain
    /// Held while files are deleted, so that ``collect()`` also waits for the deletions that another thread has begun.
    private let deleting = Lock()
    private let lock = Lock()
    private var candidates: [Candidate] = []
    private var deletedBytes: UInt64 = 0
    /// The size of the segments that are being deleted right now.
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

    /// Adds a log to delete. `writer` is nil if it has gone already.
    func addLog(_ number: UInt64, _ writer: LogWriter?) {
        lock.withLock {
            candidates.append(
                Candidate(directory: logs, name: StoreLayout.log(number), segmentBytes: 0, user: writer))
        }
    }

    /// Deletes all files that are unused now. If a removal fails it is retried later; the next open removes the file at
    /// the latest.
    func collect() throws(StorageError) {
        deleting.lock()
        defer { deleting.unlock() }
        domain.collect()
        let dead: [Candidate] = lock.withLock {
            // Each reference is read once: if a user were released between two reads, the candidate would be dropped
            // without deleting its file.
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
                // A missing file needs no deletion. A directory under the name of an old log is not the engine's, so it
                // stays.
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

    /// The time that ``collectAll()`` waits for readers. A call takes microseconds, or as long as a read from the disk.
    /// Only a thread that the system does not schedule needs longer.
    private static let readerTimeoutNanoseconds: UInt64 = 1_000_000_000

    /// Deletes all unused files, after waiting for the running calls of other threads on any store. Files that cursors
    /// and snapshots hold remain.
    func collectAll() throws(StorageError) {
        if !isEmpty { _ = domain.quiesce(within: ObsoleteFiles.readerTimeoutNanoseconds) }
        try collect()
    }

    /// True if no file waits for deletion.
    var isEmpty: Bool { lock.withLock { candidates.isEmpty } }

    /// The bytes of segments deleted since the engine was opened, and of obsolete segments that still take space.
    var totals: (deletedBytes: UInt64, heldBytes: UInt64) {
        lock.withLock { (deletedBytes, candidates.reduce(leavingBytes) { $0 + $1.segmentBytes }) }
    }
}
