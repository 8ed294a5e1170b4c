import ShaleManifest
import ShalePlatform

/// Scans between two uses. Most stores see the same view for thousands of short scans, and what a scan needs to read it
/// (sources, runs, key memory) costs ten times as much to make as a seek: so scans rest here, bound to the current view.
///
/// One that is bound to another view is not kept, and ``removeAll()`` follows every change of a view's files: nothing
/// stays alive for the sake of an idle scan. Thread-safe.
final class ScanPool: @unchecked Sendable {
    private let lock = Lock()
    /// Guarded by `lock`, and hence unchecked.
    @exclusivity(unchecked)
    private var idle: [ScanCore] = []

    /// More cursors at once than this are rare, and idle ones take some KiB each.
    private static let idleMax = 16

    func take() -> ScanCore { lock.withLock { unsafe idle.popLast() } ?? ScanCore() }

    /// Keeps a resting scan if it is bound to the current view. Asked under the lock: a change of the view comes before
    /// its `removeAll`, so either that one finds the scan here, or the change is seen here.
    func put(_ scan: ScanCore, current: ViewCell) {
        lock.withLock {
            if unsafe idle.count < ScanPool.idleMax, scan.isBound(to: current) { unsafe idle.append(scan) }
        }
    }

    func removeAll() {
        var dropped: [ScanCore] = []
        // They end outside the lock: views, memtables and segments may end with them.
        lock.withLock { unsafe swap(&dropped, &idle) }
    }
}
