import ShaleBase
import ShaleManifest
import ShalePlatform

/// The live snapshots: what retention may not drop.
///
/// Threads register in lists of their own, so that short scans on several threads share no lock. The visible sequence is read
/// under the list's lock, and whoever looks at the snapshots holds all locks: a job either finds one or knows that its sequence
/// is at or above everything visible when it looked. Hence the snapshots of one list also begin in the order of their
/// sequences: it is kept oldest first, of nodes that belong to those who hold the snapshots. Beginning and ending one takes no
/// memory and no search.
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

    /// `domain` outlives the registry; its threads are told apart.
    init(domain: EpochDomain) { self.domain = BorrowedDomain(domain) }

    /// Begins a snapshot in `place`, which is not in use.
    @inline(__always)
    func register(_ place: borrowing SnapshotPlace, _ make: () -> Observer) -> Observer {
        let node = unsafe place.node
        let thread = domain.threadNumber
        return unsafe lists.withLock(thread) { list in
            let observer = make()
            unsafe node.pointee = SnapshotNode(observer: observer, thread: thread, older: list.newest, newer: nil)
            if let newest = unsafe list.newest { unsafe newest.pointee.newer = node } else { unsafe list.oldest = node }
            unsafe list.newest = node
            return observer
        }
    }

    /// Ends the snapshot in `place`, on any thread.
    @inline(__always)
    func release(_ place: borrowing SnapshotPlace) {
        let place = unsafe place.node
        unsafe lists.withLock(place.pointee.thread) { list in
            let node = unsafe place.pointee
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

    /// Runs `body` with the oldest snapshot while no other begins.
    func betweenSnapshots(_ body: (_ oldest: Observer?) -> Void) {
        unsafe lists.withAllLocks { lists in unsafe body(SnapshotRegistry.oldest(lists)) }
    }

    /// All live ones at one moment, in no order.
    var observers: [Observer] {
        unsafe lists.withAllLocks { lists in
            var observers: [Observer] = []
            unsafe lists.forEach { list in
                var next = unsafe list.oldest
                while let node = unsafe next {
                    unsafe observers.append(node.pointee.observer)
                    unsafe next = node.pointee.newer
                }
            }
            return observers
        }
    }

    var count: Int { observers.count }

    /// The oldest live snapshot.
    var oldest: Observer? { unsafe lists.withAllLocks { lists in unsafe SnapshotRegistry.oldest(lists) } }

    private static func oldest(_ lists: [List]) -> Observer? {
        let firsts = unsafe lists.compactMap { list in unsafe list.oldest?.pointee.observer }
        return firsts.min { ($0.sequence, $0.wallMilliseconds) < ($1.sequence, $1.wallMilliseconds) }
    }
}

/// An element of one of the registry's lists; only touched under its lock.
@unsafe
struct SnapshotNode {
    var observer: Observer
    /// Chooses the list.
    var thread: Int
    var older: UnsafeMutablePointer<SnapshotNode>?
    var newer: UnsafeMutablePointer<SnapshotNode>?
}

/// Room for one live snapshot, owned by who holds it: it is released before this ends.
@safe
struct SnapshotPlace: ~Copyable, @unchecked Sendable {
    fileprivate let node = UnsafeMutablePointer<SnapshotNode>.allocate(capacity: 1)

    init() {
        let nobody = Observer(sequence: 0, wallMilliseconds: 0)
        unsafe node.initialize(to: SnapshotNode(observer: nobody, thread: 0, older: nil, newer: nil))
    }

    deinit { unsafe node.deallocate() }
}
