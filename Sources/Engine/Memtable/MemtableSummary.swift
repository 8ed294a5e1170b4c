import ShaleBase
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
