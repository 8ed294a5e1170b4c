import ShaleBase
import ShalePlatform
import Synchronization

/// The counts of one namespace in a memtable, for pickers, quotas and purge.
package struct MemtableSummary: Equatable, Sendable {
    /// The number of versions, including deletes.
    package var entries: UInt64 = 0
    package var deletes: UInt64 = 0
    package var purgeable: UInt64 = 0
    /// The number of entries with an expiry.
    package var expirable: UInt64 = 0
    /// The bytes of the encoded keys and values of all entries.
    package var rawBytes: UInt64 = 0
    package var purgeableRawBytes: UInt64 = 0

    package init() {}
}

/// The writer's running counts of one namespace, readable by any thread. Each word is exact; the words together may be
/// read in the middle of an insert.
struct SummaryCounters: ~Copyable {
    private let entries = Atomic<UInt64>(0)
    private let deletes = Atomic<UInt64>(0)
    private let purgeable = Atomic<UInt64>(0)
    private let expirable = Atomic<UInt64>(0)
    private let rawBytes = Atomic<UInt64>(0)
    private let purgeableRawBytes = Atomic<UInt64>(0)

    @inline(__always)
    borrowing func count(_ kind: EntryKind, rawBytes bytes: Int) {
        SummaryCounters.add(1, to: entries)
        SummaryCounters.add(UInt64(bytes), to: rawBytes)
        // A plain put, the common case, returns here.
        if kind == .put { return }
        if kind.isDelete { SummaryCounters.add(1, to: deletes) }
        if kind.hasExpiry { SummaryCounters.add(1, to: expirable) }
        if kind.isPurgeable {
            SummaryCounters.add(1, to: purgeable)
            SummaryCounters.add(UInt64(bytes), to: purgeableRawBytes)
        }
    }

    /// Adds to a counter. Only one thread writes, so a load and a store suffice; they cost a tenth of an atomic
    /// addition.
    @inline(__always)
    private static func add(_ amount: UInt64, to counter: borrowing Atomic<UInt64>) {
        counter.store(counter.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }

    borrowing func summary() -> MemtableSummary {
        var summary = MemtableSummary()
        summary.entries = entries.load(ordering: .relaxed)
        summary.deletes = deletes.load(ordering: .relaxed)
        summary.purgeable = purgeable.load(ordering: .relaxed)
        summary.expirable = expirable.load(ordering: .relaxed)
        summary.rawBytes = rawBytes.load(ordering: .relaxed)
        summary.purgeableRawBytes = purgeableRawBytes.load(ordering: .relaxed)
        return summary
    }
}

/// A heap cell for the counts of one namespace. Its owner, the memtable's ``MemtableCounters``, frees it.
@safe
struct SummaryCell {
    private let counters: UnsafeMutablePointer<SummaryCounters>

    init() {
        unsafe counters = .allocate(capacity: 1)
        unsafe counters.initialize(to: SummaryCounters())
    }

    func free() {
        unsafe counters.deinitialize(count: 1)
        unsafe counters.deallocate()
    }

    @inline(__always)
    func count(_ kind: EntryKind, rawBytes: Int) { unsafe counters.pointee.count(kind, rawBytes: rawBytes) }

    func summary() -> MemtableSummary { unsafe counters.pointee.summary() }
}

/// The counters of a memtable. A separate object, so that the writer's stores do not invalidate the cache line in which
/// readers find the tree's address.
///
/// One thread calls ``count``; any thread reads.
@safe
final class MemtableCounters: @unchecked Sendable {
    /// The namespace counted last. Writes come in runs of one namespace, which then need no lookup.
    private struct Last {
        var namespace: NamespaceID
        var cell: SummaryCell
    }

    let entryCount = Atomic<Int>(0)
    /// 0 while the memtable is empty.
    let firstSequence = Atomic<SequenceNumber>(0)
    let lastSequence = Atomic<SequenceNumber>(0)

    private let lock = Lock()
    /// The writer changes it under the lock. Other threads read it under the lock, the writer without.
    private var cells: [NamespaceID: SummaryCell] = [:]
    /// In raw memory, because each insert would check a stored property for exclusive access.
    private let last: UnsafeMutablePointer<Last>

    init() {
        let first = Last(namespace: NamespaceID(rawValue: 0), cell: SummaryCell())
        unsafe last = .allocate(capacity: 1)
        unsafe last.initialize(to: first)
        cells[first.namespace] = first.cell
    }

    deinit {
        for cell in cells.values { cell.free() }
        unsafe last.deallocate()
    }

    @inline(__always)
    func count(_ namespace: NamespaceID, _ trailer: Trailer, rawBytes: Int) {
        if unsafe last.pointee.namespace != namespace { select(namespace) }
        unsafe last.pointee.cell.count(trailer.kind, rawBytes: rawBytes)
        let count = entryCount.load(ordering: .relaxed)
        if count == 0 { firstSequence.store(trailer.sequence, ordering: .relaxed) }
        lastSequence.store(trailer.sequence, ordering: .relaxed)
        entryCount.store(count &+ 1, ordering: .relaxed)
    }

    @inline(never)
    private func select(_ namespace: NamespaceID) {
        let cell = cells[namespace] ?? addCell(namespace)
        unsafe last.pointee = Last(namespace: namespace, cell: cell)
    }

    private func addCell(_ namespace: NamespaceID) -> SummaryCell {
        let cell = SummaryCell()
        lock.withLock { cells[namespace] = cell }
        return cell
    }

    func summary(of namespace: NamespaceID) -> MemtableSummary {
        lock.withLock { cells[namespace]?.summary() ?? MemtableSummary() }
    }

    func summaries() -> [NamespaceID: MemtableSummary] {
        lock.withLock { cells.mapValues { $0.summary() }.filter { $0.value.entries > 0 } }
    }
}
