import ShaleManifest
import ShalePlatform
import Synchronization

/// Scans between two uses. Most stores see the same view for thousands of short scans, and what a scan needs to read it
/// (sources, runs, key memory) costs ten times as much to make as a seek: so scans rest here, bound to the current view.
///
/// A thread looks for them in places of its own first, each on a cache line of its own, and takes and puts with one atomic
/// exchange: short scans on several threads don't wait for each other. One that is bound to another view is not kept,
/// ``removeAll()`` follows every change of a view's files, and ``close()`` the end of the engine: nothing stays alive for the
/// sake of an idle scan, which holds the engine too.
///
/// Both sides, putting a scan and changing what makes it stale, store first and look at the other's store second, all
/// sequentially consistent: either `removeAll` finds the scan here, or `put` sees the change and takes it back.
/// Thread-safe.
@safe
final class ScanPool: @unchecked Sendable {
    /// More cursors at once than this are rare, and idle ones take some KiB each.
    private static let placeCount = 16
    /// So many places are looked at.
    private static let nearCount = 4
    private static let stride = 128

    /// In each place the address of a scan that the pool owns a reference to, or 0.
    private let places: UnsafeMutableRawPointer
    private let isClosed = Atomic<Bool>(false)

    init() {
        let bytes = ScanPool.placeCount * ScanPool.stride
        unsafe places = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: ScanPool.stride)
        for index in 0..<ScanPool.placeCount { unsafe place(index).initialize(to: Atomic(0)) }
    }

    deinit {
        removeAll()
        unsafe places.deallocate()
    }

    @inline(__always)
    private func place(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt>> {
        unsafe (places + (index & (ScanPool.placeCount &- 1)) &* ScanPool.stride)
            .assumingMemoryBound(to: Atomic<UInt>.self)
    }

    private static func owned(_ bits: UInt) -> ScanCore? {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: bits) else { return nil }
        return unsafe Unmanaged<ScanCore>.fromOpaque(pointer).takeRetainedValue()
    }

    /// A resting scan; nil when there is none near.
    func take(_ thread: Int) -> ScanCore? {
        for near in 0..<ScanPool.nearCount {
            let place = unsafe place(thread ^ near)
            guard unsafe place.pointee.load(ordering: .relaxed) != 0 else { continue }
            if let scan = unsafe ScanPool.owned(place.pointee.exchange(0, ordering: .acquiring)) { return scan }
        }
        return nil
    }

    /// Keeps a resting scan if it is bound to the current view and there is room.
    func put(_ scan: consuming ScanCore, _ thread: Int, current: ViewCell) {
        let view = scan.boundView
        guard current.isCurrent(view) else { return }
        let bits = UInt(bitPattern: unsafe Unmanaged.passRetained(scan).toOpaque())
        for near in 0..<ScanPool.nearCount {
            let place = unsafe place(thread ^ near)
            let isFree = unsafe place.pointee.load(ordering: .relaxed) == 0
            guard isFree,
                unsafe place.pointee.compareExchange(expected: 0, desired: bits, ordering: .sequentiallyConsistent)
                    .exchanged
            else { continue }
            // From here on the scan is another thread's, perhaps.
            if !current.isCurrent(view) || isClosed.load(ordering: .sequentiallyConsistent) { removeAll() }
            return
        }
        _ = ScanPool.owned(bits)
    }

    func removeAll() {
        for index in 0..<ScanPool.placeCount {
            _ = unsafe ScanPool.owned(place(index).pointee.exchange(0, ordering: .sequentiallyConsistent))
        }
    }

    /// Keeps no scan from now on.
    func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        removeAll()
    }
}
