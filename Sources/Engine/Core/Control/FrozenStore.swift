package import ShaleBase
package import ShaleManifest
import ShaleMemtable
package import ShalePlatform
import ShaleSegment

/// A store as it was at one moment. The files of its segments stay while this value exists.
package struct FrozenStore: Sendable {
    /// The state without the batches that are in no segment.
    package let state: StoreState
    package let identity: CurrentFile
    /// The directory of the segments.
    package let segments: any Directory
    package let wallMilliseconds: Int64
    /// The reader beside an owner whose state it is, if batches of the state are in no segment.
    let reader: EngineCore?

    /// The names of all files in ``segments`` that the state has: its segments, and the value files that they use.
    package var fileNames: [String] {
        state.version.levels.flatMap { $0.segments.map { StoreLayout.segment($0.number) } }
            + state.version.valueUses.keys.sorted().map { StoreLayout.values($0) }
    }

    /// True if ``complete(in:)`` writes segments: the store is that of a read-only engine, which can't flush it.
    package var isIncomplete: Bool { reader != nil }

    /// Writes the batches that are in no segment as segments into `directory`, and returns the whole state. The content
    /// of the new files is durable on return, their names are not. They get numbers from the state's next one on.
    package func complete(in directory: any Directory) throws(StorageError) -> StoreState {
        guard let reader else { return state }
        return try reader.writeMemtables(after: state, to: directory)
    }
}

extension Engine {
    /// Flushes, and returns the store as it was when the flush began: a prefix of batches and control operations in
    /// sequence order. A read-only engine returns the state that it shows, without a flush.
    ///
    /// - Parameter isCopied: False if only ``FrozenStore/state`` is needed, for which a read-only engine inserts no
    ///   batches into memtables.
    package func freeze(isCopied: Bool = true) throws(StorageError) -> FrozenStore {
        try core.freeze(isCopied: isCopied)
    }
}

extension EngineCore {
    /// Returns the frozen store. ``FrozenMoment`` explains why its parts are consistent.
    func freeze(isCopied: Bool = true) throws(StorageError) -> FrozenStore {
        if let followed { return try freeze(followed, isCopied: isCopied) }
        let manifest = try writableManifest()
        clock.refresh()
        let (moment, newest) = try committer.exclusively { () throws(StorageError) -> (FrozenMoment, Memtable?) in
            let newest = try rotateForFlush()
            let moment = FrozenMoment(self, newest: newest)
            viewCell.whileUnchanged { frozen.begin(moment, $0) }
            return (moment, newest)
        }
        defer {
            frozen.end(moment)
            // Segments may be dead now.
            background?.wake()
        }
        try waitForFlush(of: newest)
        guard let version = frozen.version(of: moment) else { throw EngineCore.closedError }
        var state = StoreState(version: version)
        state.catalogue =
            PlantedBug.isActive(.copyTheCatalogueLate) ? catalogue.withLock { $0 } : moment.catalogue
        state.lastSequence = moment.readPoint.sequence
        // After the last job that contributed to the version, so that the noted time is not before the times that these
        // jobs used.
        clock.note(in: &state)
        // Above the numbers of all segments, which are older.
        state.nextFileNumber = fileNumbers.next
        let identity = CurrentFile(
            manifestNumber: 0, storeID: manifest.storeID, createdMilliseconds: manifest.createdMilliseconds)
        return FrozenStore(
            state: state, identity: identity, segments: directories.segments,
            wallMilliseconds: moment.readPoint.wallMilliseconds, reader: nil)
    }
}

/// The moment of a running copy: everything up to one sequence, batches and control operations alike.
///
/// The moment begins under the commit lock, drained, right after the memtable was rotated. That step fixes the
/// sequence, the catalogue with its watermarks, and the memtables to flush. Then only their flush is left to do, while
/// writers and control operations continue. The flush that installs the last of the memtables stores its version here.
/// Flushes are in order, so that version has all entries up to the sequence and no others. Three things could remove
/// entries from it in between:
///
/// 1. A flush or compaction that applies a later purge, truncation or expiry. The moment is a snapshot, so every job
///    that begins after it keeps all entries that it sees. A job that began earlier knows no later watermark and no
///    later time.
/// 2. A job that applies a later drop, which snapshots don't prevent. ``FrozenMoments`` hides such drops from jobs.
/// 3. The deletion of a file. The version holds its segments.
final class FrozenMoment: @unchecked Sendable {
    let readPoint: ReadPoint
    let catalogue: Catalogue
    fileprivate let newest: Memtable?
    private let slot = SnapshotSlot()
    private let snapshots: SnapshotRegistry
    /// nil until all memtables are in segments. Under the lock of ``FrozenMoments``.
    fileprivate var version: Version?

    /// Begins the moment. `newest` is the newest full memtable. Under `committer.lock`, drained.
    init(_ core: EngineCore, newest: Memtable?) {
        snapshots = core.snapshots
        readPoint = snapshots.register(slot) { core.present() }
        catalogue = core.catalogue.withLock { $0 }
        self.newest = newest
    }

    deinit { snapshots.release(slot) }

    /// True if all memtables of the moment are in the segments of `view`.
    fileprivate func isWhole(in view: View) -> Bool {
        guard let newest else { return true }
        return !view.immutables.contains { $0 === newest }
    }
}

/// The moments whose copies are not complete.
final class FrozenMoments: @unchecked Sendable {
    private let erasures: ErasureTable
    private let lock = Lock()
    private var moments: [FrozenMoment] = []

    init(_ erasures: ErasureTable) { self.erasures = erasures }

    /// Adds a moment. `view` is the current one. Under `committer.lock`, and while no flush changes the view:
    ///
    /// 1. A flush settles the moments, and then makes its view the current one.
    /// 2. If it did both between the reading of `view` and this call, it would not know the moment, and `view` would
    ///    still have the moment's memtable. No later flush has to come, so the moment might never get a version.
    func begin(_ moment: FrozenMoment, _ view: View) {
        lock.withLock { moments.append(moment) }
        settle(view)
    }

    /// Stores the version of each moment that is complete in `view`. Called in the step that makes `view` the current
    /// one after a flush.
    func settle(_ view: View) {
        lock.withLock {
            for moment in moments
            where moment.version == nil
                && (moment.isWhole(in: view) || PlantedBug.isActive(.settleEarly))
            {
                moment.version = view.version
            }
        }
    }

    func version(of moment: FrozenMoment) -> Version? { lock.withLock { moment.version } }

    /// Drops a namespace at `sequence`. Under `committer.lock`, so every moment in the list is older.
    func drop(_ id: NamespaceID, at sequence: SequenceNumber) {
        lock.withLock {
            let isKept = !moments.isEmpty && !PlantedBug.isActive(.dropBesideCopy)
            erasures.drop(id, keptSince: isKept ? sequence : nil)
        }
    }

    /// Ends a moment, so that jobs may remove entries that only this moment kept.
    func end(_ moment: FrozenMoment) {
        lock.withLock {
            moments.removeAll { $0 === moment }
            // A drop between two moments is kept only for the older one.
            let oldest = moments.map(\.readPoint.sequence).min()
            erasures.forgetDropped(through: oldest ?? .max)
        }
    }
}
