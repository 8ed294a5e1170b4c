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
    private let lastSequence = Atomic<SequenceNumber>(0)

    @inline(__always)
    borrowing func count(_ trailer: Trailer, rawBytes bytes: Int) {
        let kind = trailer.kind
        lastSequence.store(trailer.sequence, ordering: .relaxed)
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

    /// The sequence counted last; 0 if there is none.
    borrowing func newest() -> SequenceNumber { lastSequence.load(ordering: .relaxed) }
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
    func count(_ trailer: Trailer, rawBytes: Int) { unsafe counters.pointee.count(trailer, rawBytes: rawBytes) }

    func summary() -> MemtableSummary { unsafe counters.pointee.summary() }

    func newest() -> SequenceNumber { unsafe counters.pointee.newest() }
}

/// The counters of a memtable. A separate object, so that the writer's stores do not invalidate the cache line in which
/// readers find the tree's address.
///
/// One thread calls ``count``; any thread reads.
@safe
final class MemtableCounters: @unchecked Sendable {
    /// A namespace that was counted recently.
    private struct Recent {
        var namespace: NamespaceID
        var cell: SummaryCell
    }

    /// Writes come in runs of one namespace, or alternate between few, as those of records and their indexes do. Both
    /// need no lookup.
    private static let recentMax = 4

    let entryCount = Atomic<Int>(0)
    /// 0 while the memtable is empty.
    let firstSequence = Atomic<SequenceNumber>(0)
    let lastSequence = Atomic<SequenceNumber>(0)

    private let lock = Lock()
    /// The writer changes it under the lock. Other threads read it under the lock, the writer without.
    private var cells: [NamespaceID: SummaryCell] = [:]
    /// The namespace counted last, and behind it others. In raw memory, because each insert would check a stored
    /// property for exclusive access.
    private let recent: UnsafeMutablePointer<Recent>

    init() {
        let first = Recent(namespace: NamespaceID(rawValue: 0), cell: SummaryCell())
        unsafe recent = .allocate(capacity: MemtableCounters.recentMax)
        unsafe recent.initialize(repeating: first, count: MemtableCounters.recentMax)
        cells[first.namespace] = first.cell
    }

    deinit {
        for cell in cells.values { cell.free() }
        unsafe recent.deallocate()
    }

    @inline(__always)
    func count(_ namespace: NamespaceID, _ trailer: Trailer, rawBytes: Int) {
        if unsafe recent[0].namespace != namespace { select(namespace) }
        unsafe recent[0].cell.count(trailer, rawBytes: rawBytes)
        let count = entryCount.load(ordering: .relaxed)
        if count == 0 { firstSequence.store(trailer.sequence, ordering: .relaxed) }
        lastSequence.store(trailer.sequence, ordering: .relaxed)
        entryCount.store(count &+ 1, ordering: .relaxed)
    }

    /// Makes a namespace the first of the recent ones.
    @inline(never)
    private func select(_ namespace: NamespaceID) {
        let last = MemtableCounters.recentMax &- 1
        var place = 1
        while place < last, unsafe recent[place].namespace != namespace { place &+= 1 }
        var selected = unsafe recent[place]
        if selected.namespace != namespace {
            selected = Recent(namespace: namespace, cell: cells[namespace] ?? addCell(namespace))
        }
        while place > 0 {
            unsafe recent[place] = recent[place &- 1]
            place &-= 1
        }
        unsafe recent[0] = selected
    }

    private func addCell(_ namespace: NamespaceID) -> SummaryCell {
        let cell = SummaryCell()
        lock.withLock { cells[namespace] = cell }
        return cell
    }

    func summary(of namespace: NamespaceID) -> MemtableSummary {
        lock.withLock { cells[namespace]?.summary() ?? MemtableSummary() }
    }

    /// The sequence of the namespace that was counted last; 0 if there is none.
    func lastSequence(of namespace: NamespaceID) -> SequenceNumber {
        lock.withLock { cells[namespace]?.newest() ?? 0 }
    }

    func summaries() -> [NamespaceID: MemtableSummary] {
        lock.withLock { cells.mapValues { $0.summary() }.filter { $0.value.entries > 0 } }
    }
}
