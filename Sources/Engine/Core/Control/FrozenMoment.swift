import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShalePlatform

/// The moment of a copy that is being made: everything up to one sequence, batches and control operations alike.
///
/// It begins under the commit lock, drained, right after the memtable was rotated, and takes what belongs to that step: the
/// sequence, the catalogue with its watermarks, and which memtables are to be flushed. What is left to do is to flush these.
/// Writers and control operations go on meanwhile. The flush that installs the last of the memtables leaves its version
/// here: flushes are in order, so it has all entries up to the sequence and no others. Three things could still take
/// something away from it in between:
///
/// 1. A flush or compaction that applies a later purge, truncation or expiry. The moment is a snapshot, so every job that
///    begins after it keeps what it sees. A job that had begun before knows no later watermark and no later time.
/// 2. One that applies a later drop, which snapshots don't stop. ``FrozenMoments`` keeps the dropped namespaces from jobs.
/// 3. A file that is deleted. The version holds its segments.
final class FrozenMoment: @unchecked Sendable {
    let observer: Observer
    let catalogue: Catalogue
    fileprivate let newest: Memtable?
    private let place = SnapshotPlace()
    private let snapshots: SnapshotRegistry
    /// Under the lock of ``FrozenMoments``. nil until all memtables are in segments.
    fileprivate var version: Version?

    /// Under `committer.lock`, drained. `newest` is the newest memtable that is full.
    init(_ core: EngineCore, newest: Memtable?) {
        snapshots = core.snapshots
        observer = snapshots.register(place) { core.present() }
        catalogue = core.catalogue.withLock { $0 }
        self.newest = newest
    }

    deinit { snapshots.release(place) }

    /// Whether `view` shows all that the moment needs in segments.
    fileprivate func isWhole(in view: View) -> Bool {
        guard let newest else { return true }
        return !view.immutables.contains { $0 === newest }
    }
}

/// The moments whose copies are not complete yet.
final class FrozenMoments: @unchecked Sendable {
    private let erasures: ErasureTable
    private let lock = Lock()
    private var moments: [FrozenMoment] = []

    init(_ erasures: ErasureTable) { self.erasures = erasures }

    /// Under `committer.lock`. `view` is the present one.
    func begin(_ moment: FrozenMoment, _ view: View) {
        lock.withLock { moments.append(moment) }
        settle(view)
    }

    /// Called in the step that makes `view` the current one after a flush.
    func settle(_ view: View) {
        lock.withLock {
            for moment in moments where moment.version == nil && moment.isWhole(in: view) {
                moment.version = view.version
            }
        }
    }

    func version(of moment: FrozenMoment) -> Version? { lock.withLock { moment.version } }

    /// Drops a namespace by an operation with this sequence. Under `committer.lock`, so every moment that is here is older.
    func drop(_ id: NamespaceID, at sequence: SequenceNumber) {
        lock.withLock {
            let isKept = !moments.isEmpty && !PlantedBug.isActive(.dropBesideCopy)
            erasures.drop(id, keptSince: isKept ? sequence : nil)
        }
    }

    /// Lets jobs have what was kept for `moment` alone.
    func end(_ moment: FrozenMoment) {
        lock.withLock {
            moments.removeAll { $0 === moment }
            // A drop between two moments is kept for the older one only.
            let oldest = moments.map(\.observer.sequence).min()
            erasures.forgetDropped(through: oldest ?? .max)
        }
    }
}
