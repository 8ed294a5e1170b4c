import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShalePlatform
import Synchronization

/// The live snapshots, whose versions retention must keep.
///
/// Threads use different lists, so that short scans on several threads share no lock.
///
/// 1. A snapshot reads the visible sequence under its list's lock, and a job reads the snapshots under all locks. So a
///    job either finds a snapshot or knows that its sequence is at or above everything visible at the time.
/// 2. The snapshots of one list therefore begin in the order of their sequences, and the list is kept oldest first.
/// 3. Its nodes belong to the holders of the snapshots. Beginning and ending a snapshot takes no allocation and no
///    search.
@safe
final class SnapshotRegistry: @unchecked Sendable {
    /// The ends of one list.
    @unsafe
    private struct List: BitwiseCopyable {
        var oldest: UnsafeMutablePointer<SnapshotNode>?
        var newest: UnsafeMutablePointer<SnapshotNode>?
    }

    private static let listCount = 16

    private let domain: BorrowedDomain
    private let lists = unsafe LockStripes(count: SnapshotRegistry.listCount, List())

    /// Creates an empty registry. `domain` must outlive it, and numbers the threads.
    init(domain: EpochDomain) { self.domain = BorrowedDomain(domain) }

    /// Begins a snapshot in `slot`, which must be unused.
    @inline(__always)
    func register(_ slot: borrowing SnapshotSlot, _ make: () -> ReadPoint) -> ReadPoint {
        let node = unsafe slot.node
        let thread = domain.threadNumber
        return unsafe lists.withLock(thread) { list in
            let readPoint = make()
            unsafe node.pointee = SnapshotNode(readPoint: readPoint, thread: thread, older: list.newest, newer: nil)
            if let newest = unsafe list.newest { unsafe newest.pointee.newer = node } else { unsafe list.oldest = node }
            unsafe list.newest = node
            return readPoint
        }
    }

    /// Ends the snapshot in `slot`. Any thread may call it.
    @inline(__always)
    func release(_ slot: borrowing SnapshotSlot) {
        let snapshot = unsafe slot.node
        unsafe lists.withLock(snapshot.pointee.thread) { list in
            let node = unsafe snapshot.pointee
            if let older = unsafe node.older {
                unsafe older.pointee.newer = node.newer
            } else {
                unsafe list.oldest = node.newer
            }
            if let newer = unsafe node.newer {
                unsafe newer.pointee.older = node.older
            } else {
                unsafe list.newest = node.older
            }
        }
    }

    /// Runs `body` with the oldest snapshot while no snapshot can begin.
    func betweenSnapshots(_ body: (_ oldest: ReadPoint?) -> Void) {
        unsafe lists.withAllLocks { lists in unsafe body(SnapshotRegistry.oldest(lists)) }
    }

    /// All live snapshots at one moment, unordered.
    var readPoints: [ReadPoint] {
        unsafe lists.withAllLocks { lists in
            var readPoints: [ReadPoint] = []
            unsafe lists.forEach { list in
                var next = unsafe list.oldest
                while let node = unsafe next {
                    unsafe readPoints.append(node.pointee.readPoint)
                    unsafe next = node.pointee.newer
                }
            }
            return readPoints
        }
    }

    var count: Int { readPoints.count }

    /// The oldest live snapshot.
    var oldest: ReadPoint? { unsafe lists.withAllLocks { lists in unsafe SnapshotRegistry.oldest(lists) } }

    private static func oldest(_ lists: [List]) -> ReadPoint? {
        let firsts = unsafe lists.compactMap { list in unsafe list.oldest?.pointee.readPoint }
        return firsts.min { ($0.sequence, $0.wallMilliseconds) < ($1.sequence, $1.wallMilliseconds) }
    }
}

/// An element of one of the registry's lists, accessed only under the list's lock.
@unsafe
private struct SnapshotNode {
    var readPoint: ReadPoint
    /// The thread that selects the list.
    var thread: Int
    var older: UnsafeMutablePointer<SnapshotNode>?
    var newer: UnsafeMutablePointer<SnapshotNode>?
}

/// The storage of one live snapshot, owned by its holder, who must release the snapshot first.
@safe
struct SnapshotSlot: ~Copyable, @unchecked Sendable {
    fileprivate let node = UnsafeMutablePointer<SnapshotNode>.allocate(capacity: 1)

    init() {
        let unset = ReadPoint(sequence: 0, wallMilliseconds: 0)
        unsafe node.initialize(to: SnapshotNode(readPoint: unset, thread: 0, older: nil, newer: nil))
    }

    deinit { unsafe node.deallocate() }
}

/// Read points of the store. All use the time that was read last. A caller that needs an exact time refreshes the clock
/// first, without holding a lock.
extension EngineCore {
    /// Returns all present read points, for a job that begins now.
    ///
    /// The order matters: watermarks and time first, snapshots second. A snapshot that begins in between is newer than
    /// the watermarks taken, so it sees them. Its time is not before the one taken, because ``present()`` uses the last
    /// reading.
    func horizon() -> Horizon {
        if PlantedBug.isActive(.snapshotsBeforeWatermarks) {
            let readPoints = snapshots.readPoints
            SchedulePoint.reach(.visible)
            return Horizon(
                snapshots: readPoints, wallMilliseconds: clock.latestTrusted, erasures: erasures.snapshot())
        }
        let erased = erasures.snapshot()
        let now = clock.latestTrusted
        return Horizon(snapshots: snapshots.readPoints, wallMilliseconds: now, erasures: erased)
    }

    /// Returns a picker of compactions for the current store, at the time that was read last.
    ///
    /// The version is taken first and the horizon second: the other order loses entries
    /// (ShaleEngine.docc, "Visibility and retention").
    ///
    /// - Parameter between: Called between the two, for a test.
    func picker(busy: Set<UInt64> = [], between: () -> Void = {}) -> CompactionPicker {
        let early = PlantedBug.isActive(.horizonBeforeVersion) ? horizon() : nil
        if early != nil { between() }
        let version = viewCell.retained().version
        if early == nil { between() }
        return CompactionPicker(version: version, options: compaction, horizon: early ?? horizon(), busy: busy)
    }

    /// Returns the read point for readers without a snapshot, at the time that was read last. Called under a lock of
    /// ``snapshots``, so the caller refreshes the clock before.
    func present() -> ReadPoint {
        ReadPoint(sequence: committer.visible.load(ordering: .acquiring), wallMilliseconds: clock.latest)
    }
}
