import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment
import Synchronization

/// Deletes segments that no version refers to any more, once nobody reads them.
///
/// A removed segment is kept here weakly. When it has gone, no view, cursor or pinned reader can reach it, and its file
/// is removed. Until then the file stays, whole and readable.
final class Garbage: @unchecked Sendable {
    private struct Candidate {
        let number: UInt64
        let fileBytes: UInt64
        weak var segment: Segment?
    }

    private let directory: any Directory
    private let domain: EpochDomain
    private let lock = Lock()
    private var candidates: [Candidate] = []
    private var deletedBytes: UInt64 = 0

    init(directory: any Directory, domain: EpochDomain) {
        self.directory = directory
        self.domain = domain
    }

    func add(_ segment: Segment) {
        lock.withLock {
            candidates.append(
                Candidate(number: segment.number, fileBytes: segment.metadata.fileBytes, segment: segment))
        }
    }

    /// Deletes what can be deleted now. A file that can't be removed is tried again later; the next open removes it at
    /// the latest.
    func collect() throws(StorageError) {
        domain.collect()
        let dead: [Candidate] = lock.withLock {
            // Each reference is looked at once: one that goes between two looks would be forgotten with its file.
            let count = candidates.partition { $0.segment == nil }
            defer { candidates.removeSubrange(count...) }
            return Array(candidates[count...])
        }
        var failure: IOFailure?
        for candidate in dead {
            do {
                try directory.remove(StoreLayout.segment(candidate.number))
                lock.withLock { deletedBytes += candidate.fileBytes }
            } catch {
                failure = error
                lock.withLock { candidates.append(candidate) }
            }
        }
        if let failure { throw failure.storageError }
    }

    /// Whether anything waits for deletion.
    var isEmpty: Bool { lock.withLock { candidates.isEmpty } }

    /// Bytes of segments deleted since the engine was opened, and of those that readers still hold.
    var totals: (deletedBytes: UInt64, heldBytes: UInt64) {
        lock.withLock { (deletedBytes, candidates.reduce(0) { $0 + $1.fileBytes }) }
    }
}
