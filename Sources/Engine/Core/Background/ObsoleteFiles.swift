import ShaleBase
import ShaleLog
import ShaleManifest
import ShalePlatform
import ShaleSegment
import Synchronization

/// Deletes segments and logs that no version refers to any more, once nothing uses them.
///
/// This object refers weakly to the user of each file. After the user's release no view, cursor, pinned reader or
/// running sync of this process can reach the file. Unless a reader in another process holds it (``ReaderClaims``), it
/// is removed. Until then the file stays, whole and readable.
///
/// So no `close` has to free the blocks of an unlinked file. That takes 70 ms for a log of 64 MiB if the device
/// discards the blocks too.
final class ObsoleteFiles: @unchecked Sendable {
    private let segments: any Directory
    private let logs: any Directory
    private let domain: EpochDomain
    private let claims: ReaderClaims
    /// Held while files are deleted, so that ``collect()`` also waits for the deletions that another thread has begun.
    private let deleting = Lock()
    private let lock = Lock()
    private var candidates: [ObsoleteFile] = []
    private var deletedBytes: UInt64 = 0
    /// The size of the segments that are being deleted right now.
    private var leavingBytes: UInt64 = 0
    /// True if only readers of other processes keep the files that are left.
    private var waitsForOthers = false

    init(segments: any Directory, logs: any Directory, domain: EpochDomain, claims: ReaderClaims) {
        self.segments = segments
        self.logs = logs
        self.domain = domain
        self.claims = claims
    }

    /// Adds a segment that an edit has removed from the state.
    ///
    /// - Parameter next: The next file number in the state before the edit.
    func add(_ segment: Segment, before next: UInt64) {
        lock.withLock {
            candidates.append(
                ObsoleteFile(
                    directory: segments, name: StoreLayout.segment(segment.number),
                    segmentBytes: segment.metadata.fileBytes,
                    states: ObsoleteFile.states(naming: segment.number, before: next), user: segment))
        }
    }

    /// Adds a value file that neither a segment uses nor a log.
    ///
    /// - Parameters:
    ///   - bytes: The size of the file; 0 for an orphan.
    ///   - user: The object that the file's users hold.
    ///   - next: The next file number in the state before the edit that ended the use. Every earlier state may have
    ///     read the file's log, which no edit names.
    func addValues(_ number: UInt64, bytes: UInt64, _ user: AnyObject?, before next: UInt64) {
        lock.withLock {
            candidates.append(
                ObsoleteFile(
                    directory: segments, name: StoreLayout.values(number), segmentBytes: bytes,
                    states: 1...max(1, next), user: user))
        }
    }

    /// Adds a segment that the opening found and no state names any more.
    func addOrphan(_ number: UInt64, before next: UInt64) {
        lock.withLock {
            candidates.append(
                ObsoleteFile(
                    directory: segments, name: StoreLayout.segment(number), segmentBytes: 0,
                    states: ObsoleteFile.states(naming: number, before: next), user: nil))
        }
    }

    /// Adds a log to delete. `writer` is nil if it has gone already.
    func addLog(_ number: UInt64, _ writer: LogWriter?) {
        lock.withLock {
            candidates.append(
                ObsoleteFile(
                    directory: logs, name: StoreLayout.log(number), segmentBytes: 0, states: nil, log: number,
                    user: writer))
        }
    }

    /// Deletes all files that are unused now. If a removal fails it is retried later; the next open removes the file at
    /// the latest.
    func collect() throws(StorageError) {
        // Before the lock: the clock is the caller's code.
        let now = claims.now
        deleting.lock()
        defer { deleting.unlock() }
        domain.collect()
        let unused: [ObsoleteFile] = lock.withLock {
            // Each reference is read once: if a user were released between two reads, the candidate would be dropped
            // without deleting its file.
            let count = candidates.partition { $0.user == nil }
            defer { candidates.removeSubrange(count...) }
            leavingBytes = candidates[count...].reduce(0) { $0 + $1.segmentBytes }
            return Array(candidates[count...])
        }
        var failure: IOFailure?
        // After the edits that made the files obsolete: a reader that arrives later reads these edits.
        let decision = claims.decide(unused, at: now, &failure)
        lock.withLock {
            for file in decision.kept { leavingBytes -= file.segmentBytes }
            waitsForOthers = candidates.isEmpty && !decision.kept.isEmpty
            candidates += decision.kept
        }
        for file in decision.removed {
            do {
                try file.remove()
                lock.withLock {
                    deletedBytes += file.segmentBytes
                    leavingBytes -= file.segmentBytes
                }
            } catch {
                // A missing file needs no deletion. A directory under the name of an old log is not the engine's, so it
                // stays.
                let isDone = error.isMissing || error.isWrongKind
                lock.withLock {
                    leavingBytes -= file.segmentBytes
                    if !isDone { candidates.append(file) }
                }
                if !isDone { failure = error }
            }
        }
        if let failure { throw failure.storageError }
    }

    /// The time that ``collectAll()`` waits for readers. A call takes microseconds, or as long as a read from the disk.
    /// Only a thread that the system does not schedule needs longer.
    private static let readerTimeoutNanoseconds: UInt64 = 1_000_000_000

    /// Deletes all unused files, after waiting for the running calls of other threads on any store. Files that cursors,
    /// snapshots and readers of other processes hold remain.
    func collectAll() throws(StorageError) {
        if !isEmpty { _ = domain.quiesce(within: ObsoleteFiles.readerTimeoutNanoseconds) }
        try collect()
    }

    /// True if no file waits for deletion.
    var isEmpty: Bool { lock.withLock { candidates.isEmpty } }

    /// The time after which ``collect()`` may find more to delete, in nanoseconds; `nil` if no file waits.
    var pause: UInt64? {
        lock.withLock { candidates.isEmpty ? nil : waitsForOthers ? 500_000_000 : 50_000_000 }
    }

    /// The bytes of segments deleted since the engine was opened, and of obsolete segments that still take space.
    var totals: (deletedBytes: UInt64, heldBytes: UInt64) {
        lock.withLock { (deletedBytes, candidates.reduce(leavingBytes) { $0 + $1.segmentBytes }) }
    }
}

/// A file that no version refers to any more.
struct ObsoleteFile {
    let directory: any Directory
    let name: String
    /// The size of a segment or a value file; 0 for a log and for an orphan.
    let segmentBytes: UInt64
    /// The next file numbers of the states that may name the file; `nil` if no whole state does.
    let states: ClosedRange<UInt64>?
    /// The number of a log.
    var log: UInt64?
    weak var user: AnyObject?
    /// The monotonic time in nanoseconds since which only readers of other processes keep the file.
    var keptSince: UInt64?
    /// The disk space of a file that such readers keep.
    var keptBytes: UInt64 = 0
    /// True if readers of other processes may hold the file, but no longer keep it.
    var isRevoked = false

    /// Returns the next file numbers of the states between the edit that added segment `number` and one that removed
    /// it, before which the next number was `next`.
    static func states(naming number: UInt64, before next: UInt64) -> ClosedRange<UInt64>? {
        // Every edit records the next file number, so a state with the segment has a larger one.
        next > number ? (number + 1)...next : nil
    }

    func remove() throws(IOFailure) {
        if isRevoked { try directory.removeAndCut(name) } else { try directory.removeInSteps(name) }
    }
}
