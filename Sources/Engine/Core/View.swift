import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import Synchronization

/// The sources of a read at one moment: memtables and version. Immutable.
final class View: Sendable {
    let mutable: Memtable
    /// Memtables that wait for their flush, newest first.
    let immutables: [Memtable]
    let version: Version
    /// The numbers of the memtables' logs, newest first: one for each memtable. 0 for a memtable that takes no writes.
    /// Several memtables may belong to one long log that was replayed.
    let logs: [UInt64]

    init(mutable: Memtable, immutables: [Memtable], version: Version, logs: [UInt64]) {
        self.logs = logs
        self.mutable = mutable
        self.immutables = immutables
        self.version = version
    }

    /// Returns the view after a rotation: `fresh` takes writes, and its log is `log`.
    func rotated(to fresh: Memtable, log: UInt64) -> View {
        View(
            mutable: fresh, immutables: PlantedBug.isActive(.loseRotatedMemtable) ? immutables : [mutable] + immutables,
            version: version, logs: [log] + logs)
    }

    /// Returns the view after the first log of a store without logs was begun.
    func writing(to log: UInt64) -> View {
        View(mutable: mutable, immutables: immutables, version: version, logs: [log] + logs.dropFirst())
    }

    /// Returns the view after a flush: the oldest memtable is in `version`, and its log is not needed.
    func flushed(into version: Version) -> View {
        View(mutable: mutable, immutables: immutables.dropLast(), version: version, logs: logs.dropLast())
    }

    /// Returns the view of a followed state whose batches were inserted into `memtables`, newest first.
    func filled(with memtables: [Memtable]) -> View {
        View(
            mutable: mutable, immutables: memtables, version: version,
            logs: [UInt64](repeating: 0, count: memtables.count + 1))
    }

    /// Returns the view after a compaction.
    func compacted(into version: Version) -> View {
        View(mutable: mutable, immutables: immutables, version: version, logs: logs)
    }

    /// All memtables, newest first.
    var memtables: [Memtable] { [mutable] + immutables }

    /// Returns the bytes of the memtables that `next` does not have.
    func memtableBytes(without next: View) -> Int {
        memtables.reduce(0) { sum, memtable in
            next.memtables.contains { $0 === memtable } ? sum : sum + memtable.allocatedBytes
        }
    }

    /// Returns the newest version with sequence ≤ `sequence`. The caller is pinned; the result is valid while the pin
    /// lasts.
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
/// and retires the old view. The domain releases the view when no pin can have seen it. `lock` serialises changes.
///
/// A reader loads the view first and the visible sequence second:
///
/// 1. A view's segments hold each key's newest version at the view's creation, or a newer one.
/// 2. A sequence that is read later is not below that version's sequence.
/// 3. So that version is never filtered out as too new.
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
        let bits = pointer.load(ordering: .sequentiallyConsistent)
        let view = unsafe ViewCell.unmanaged(bits)
        SchedulePoint.beginUse(of: bits)
        defer { SchedulePoint.endUse(of: bits) }
        SchedulePoint.reach(.visible)
        let result = unsafe view._withUnsafeGuaranteedRef { view in
            Result { () throws(StorageError) in try body(view) }
        }
        return try result.get()
    }

    /// Runs `body` with the current view, which stays current until `body` returns.
    func whileUnchanged<R>(_ body: (View) -> R) -> R {
        lock.withLock { body(unsafe ViewCell.unmanaged(pointer.load(ordering: .acquiring)).takeUnretainedValue()) }
    }

    /// True if `view` is the address of the current view. The caller keeps that view alive or accepts a stale hit: a
    /// new view may have been allocated at the same address.
    @inline(__always)
    func isCurrent(_ view: UInt) -> Bool { pointer.load(ordering: .sequentiallyConsistent) == view }

    /// Returns the current view with a reference, for cursors and background work.
    func retained() -> View {
        let slot = domain.pin()
        defer { domain.unpin(slot) }
        SchedulePoint.reach(.view)
        return unsafe ViewCell.unmanaged(pointer.load(ordering: .sequentiallyConsistent)).takeUnretainedValue()
    }

    /// Replaces the view by the result of `change`.
    func update(_ change: (View) -> View) {
        lock.withLock {
            let old = unsafe ViewCell.unmanaged(pointer.load(ordering: .acquiring))
            let fresh = unsafe change(old.takeUnretainedValue())
            if PlantedBug.isActive(.retireBeforeUnlinking) {
                let leaving = unsafe old.takeRetainedValue()
                domain.retire(leaving, bytes: leaving.memtableBytes(without: fresh), isUrgent: false)
            }
            SchedulePoint.reach(.view)
            pointer.store(ViewCell.bits(fresh), ordering: .sequentiallyConsistent)
            if PlantedBug.isActive(.retireBeforeUnlinking) { return }
            // Not urgent: releasing memtables takes time, and the caller may hold the manifest's lock.
            let leaving = unsafe old.takeRetainedValue()
            domain.retire(leaving, bytes: leaving.memtableBytes(without: fresh), isUrgent: false)
        }
    }
}
