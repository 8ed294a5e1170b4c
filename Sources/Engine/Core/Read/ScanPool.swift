import ShaleManifest
import ShalePlatform
import Synchronization

/// A pool of scans between two uses. Thread-safe.
///
/// Most stores keep the same view for thousands of short scans. A scan's parts for reading it (sources, runs, key
/// memory) cost ten times as much to create as a seek. So idle scans stay here, bound to the current view.
///
/// - A thread tries only the 4 slots next to its own number, each on its own cache line, and takes and puts with one
///   atomic exchange. So short scans on several threads don't wait for each other.
/// - The pool keeps no idle scan of another view, because a scan keeps its view and its engine alive. ``removeAll()``
///   follows every change of a view's files, and ``close()`` the end of the engine.
///
/// A stale scan never stays in the pool. `put` stores the scan and then checks the view; a change stores the view and
/// then calls `removeAll`. All these accesses are sequentially consistent, so either `removeAll` finds the scan, or
/// `put` sees the change and removes it.
@safe
final class ScanPool: @unchecked Sendable {
    /// More concurrent cursors are rare, and idle ones take some KiB each.
    private static let slotCount = 16
    /// The number of slots that a thread tries.
    private static let nearCount = 4
    private static let stride = 128

    /// Each slot holds the address of a scan that the pool owns a reference to, or 0.
    private let slots: UnsafeMutableRawPointer
    private let isClosed = Atomic<Bool>(false)

    init() {
        let bytes = ScanPool.slotCount * ScanPool.stride
        unsafe slots = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: ScanPool.stride)
        for index in 0..<ScanPool.slotCount { unsafe slot(index).initialize(to: Atomic(0)) }
    }

    deinit {
        removeAll()
        unsafe slots.deallocate()
    }

    @inline(__always)
    private func slot(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt>> {
        unsafe (slots + (index & (ScanPool.slotCount &- 1)) &* ScanPool.stride)
            .assumingMemoryBound(to: Atomic<UInt>.self)
    }

    private static func owned(_ bits: UInt) -> ScanCore? {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: bits) else { return nil }
        return unsafe Unmanaged<ScanCore>.fromOpaque(pointer).takeRetainedValue()
    }

    /// Returns an idle scan; nil if none is in the thread's slots.
    func take(_ thread: Int) -> ScanCore? {
        for near in 0..<ScanPool.nearCount {
            let slot = unsafe slot(thread ^ near)
            guard unsafe slot.pointee.load(ordering: .relaxed) != 0 else { continue }
            if let scan = unsafe ScanPool.owned(slot.pointee.exchange(0, ordering: .acquiring)) { return scan }
        }
        return nil
    }

    /// Keeps an idle scan if it is bound to the current view and a slot is free.
    func put(_ scan: consuming ScanCore, _ thread: Int, current: ViewCell) {
        let view = scan.boundView
        guard current.isCurrent(view) else { return }
        let bits = UInt(bitPattern: unsafe Unmanaged.passRetained(scan).toOpaque())
        for near in 0..<ScanPool.nearCount {
            let slot = unsafe slot(thread ^ near)
            let isFree = unsafe slot.pointee.load(ordering: .relaxed) == 0
            guard isFree,
                unsafe slot.pointee.compareExchange(expected: 0, desired: bits, ordering: .sequentiallyConsistent)
                    .exchanged
            else { continue }
            // From here on another thread may take the scan.
            if !current.isCurrent(view) || isClosed.load(ordering: .sequentiallyConsistent) { removeAll() }
            return
        }
        _ = ScanPool.owned(bits)
    }

    func removeAll() {
        for index in 0..<ScanPool.slotCount {
            _ = unsafe ScanPool.owned(slot(index).pointee.exchange(0, ordering: .sequentiallyConsistent))
        }
    }

    /// Removes all scans and keeps none from now on.
    func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        removeAll()
    }
}
