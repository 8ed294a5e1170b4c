import ShaleBase
import ShalePlatform
import Synchronization

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
        if unsafe last.pointee.namespace != namespace { turn(to: namespace) }
        unsafe last.pointee.cell.count(trailer.kind, rawBytes: rawBytes)
        let count = entryCount.load(ordering: .relaxed)
        if count == 0 { firstSequence.store(trailer.sequence, ordering: .relaxed) }
        lastSequence.store(trailer.sequence, ordering: .relaxed)
        entryCount.store(count &+ 1, ordering: .relaxed)
    }

    @inline(never)
    private func turn(to namespace: NamespaceID) {
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
