import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import Synchronization

/// What one read needs: the memtables and the version of one moment. Immutable.
final class View: Sendable {
    let mutable: Memtable
    /// Waiting for their flush, newest first.
    let immutables: [Memtable]
    let version: Version
    /// The numbers of the memtables' logs, newest first: one for each memtable. 0 for a memtable that takes no writes.
    /// A long log that was replayed may have several memtables.
    let logs: [UInt64]

    init(mutable: Memtable, immutables: [Memtable], version: Version, logs: [UInt64]) {
        self.logs = logs
        self.mutable = mutable
        self.immutables = immutables
        self.version = version
    }

    /// After a rotation: `fresh` takes writes, and its log is `log`.
    func rotated(to fresh: Memtable, log: UInt64) -> View {
        View(
            mutable: fresh, immutables: PlantedBug.isActive(.loseRotatedMemtable) ? immutables : [mutable] + immutables,
            version: version, logs: [log] + logs)
    }

    /// After the first log of a store that had none was begun.
    func writing(to log: UInt64) -> View {
        View(mutable: mutable, immutables: immutables, version: version, logs: [log] + logs.dropFirst())
    }

    /// After a flush: the oldest memtable is in `version`, and its log is not needed.
    func flushed(into version: Version) -> View {
        View(mutable: mutable, immutables: immutables.dropLast(), version: version, logs: logs.dropLast())
    }

    /// After a compaction.
    func compacted(into version: Version) -> View {
        View(mutable: mutable, immutables: immutables, version: version, logs: logs)
    }

    /// Newest first.
    var memtables: [Memtable] { [mutable] + immutables }

    /// Bytes of memtables that `next` does not have.
    func memtableBytes(without next: View) -> Int {
        memtables.reduce(0) { sum, memtable in
            next.memtables.contains { $0 === memtable } ? sum : sum + memtable.allocatedBytes
        }
    }

    /// The newest version with sequence ≤ `sequence`. The caller is pinned; the result lives as long as the pin.
    func find(
        _ key: Bytes, through sequence: SequenceNumber, fillCache: Bool
    ) throws(StorageError) -> FoundEntry? {
        if let found = mutable.get(key, through: sequence) { return found }
        for memtable in immutables {
            if let found = memtable.get(key, through: sequence) { return found }
        }
        return try version.get(key, hash: XXH3.hash(key), through: sequence, fillCache: fillCache)
    }
}

/// The current view, for readers that take no lock.
///
/// A reader pins the epoch domain, loads the pointer and may use the view until it unpins. A writer swaps the pointer
/// and retires the old view, which the domain releases when no pin can have seen it. Changes are serialised by `lock`.
///
/// A reader loads the view first and the visible sequence second. Segments of a view hold, of every key, the newest version as of
/// the view's making or a newer one; with a sequence read later, that version is never filtered out as too new.
@safe
final class ViewCell: @unchecked Sendable {
    private let pointer: Atomic<UInt>
    private let domain: EpochDomain
    private let lock = Lock()

    init(_ view: View, domain: EpochDomain) {
        pointer = Atomic(ViewCell.bits(view))
        self.domain = domain
    }

    deinit {
        unsafe ViewCell.unmanaged(pointer.load(ordering: .acquiring)).release()
    }

    private static func bits(_ view: View) -> UInt {
        UInt(bitPattern: unsafe Unmanaged.passRetained(view).toOpaque())
    }

    private static func unmanaged(_ bits: UInt) -> Unmanaged<View> {
        unsafe Unmanaged<View>.fromOpaque(UnsafeRawPointer(bitPattern: bits).unsafelyUnwrapped)
    }

    /// Runs `body` with the current view. The caller is pinned.
    @inline(__always)
    func withPinned<R>(_ body: (View) throws(StorageError) -> R) throws(StorageError) -> R {
        SchedulePoint.reach(.view)
        let view = unsafe ViewCell.unmanaged(pointer.load(ordering: .sequentiallyConsistent))
        SchedulePoint.reach(.visible)
        let result = unsafe view._withUnsafeGuaranteedRef { view in
            Result { () throws(StorageError) in try body(view) }
        }
        return try result.get()
    }

    /// Whether `view` is the address of the current one. The caller keeps that view alive, or does not mind an equal answer
    /// for one that has come to lie there since.
    @inline(__always)
    func isCurrent(_ view: UInt) -> Bool { pointer.load(ordering: .sequentiallyConsistent) == view }

    /// The current view, to be kept: for cursors and background work.
    func retained() -> View {
        let slot = domain.pin()
        defer { domain.unpin(slot) }
        SchedulePoint.reach(.view)
        return unsafe ViewCell.unmanaged(pointer.load(ordering: .sequentiallyConsistent)).takeUnretainedValue()
    }

    /// Replaces the view by what `change` makes of it.
    func update(_ change: (View) -> View) {
        lock.withLock {
            let old = unsafe ViewCell.unmanaged(pointer.load(ordering: .acquiring))
            let fresh = unsafe change(old.takeUnretainedValue())
            SchedulePoint.reach(.view)
            pointer.store(ViewCell.bits(fresh), ordering: .sequentiallyConsistent)
            // Not urgent: releasing memtables takes time, and this may be under the manifest's lock.
            let leaving = unsafe old.takeRetainedValue()
            domain.retire(leaving, bytes: leaving.memtableBytes(without: fresh), isUrgent: false)
        }
    }
}
