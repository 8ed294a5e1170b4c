import ShaleBase
import ShaleManifest
import ShalePlatform

/// The live snapshots: what retention may not drop.
///
/// The visible sequence is read inside the lock, so a job that lists the snapshots either finds one or knows that its
/// sequence is at or above everything visible when the list was taken. Hence snapshots also begin in the order of their
/// sequences: they are kept in a list, oldest first, whose nodes belong to those who hold the snapshots. Beginning and
/// ending one takes no memory and no search.
@safe
final class SnapshotRegistry: @unchecked Sendable {
    private let lock = Lock()
    // Guarded by `lock`:
    private var oldestNode: UnsafeMutablePointer<SnapshotNode>?
    private var newestNode: UnsafeMutablePointer<SnapshotNode>?
    private(set) var liveCount = 0

    /// Begins a snapshot in `place`, which is not in use.
    func register(_ place: borrowing SnapshotPlace, _ make: () -> Observer) -> Observer {
        let node = unsafe place.node
        return lock.withLock {
            let observer = make()
            unsafe node.pointee = SnapshotNode(observer: observer, older: newestNode, newer: nil)
            if let newest = unsafe newestNode { unsafe newest.pointee.newer = node } else { unsafe oldestNode = node }
            unsafe newestNode = node
            liveCount += 1
            return observer
        }
    }

    /// Ends the snapshot in `place`.
    func release(_ place: borrowing SnapshotPlace) {
        let place = unsafe place.node
        lock.withLock {
            let node = unsafe place.pointee
            if let older = unsafe node.older {
                unsafe older.pointee.newer = node.newer
            } else {
                unsafe oldestNode = node.newer
            }
            if let newer = unsafe node.newer {
                unsafe newer.pointee.older = node.older
            } else {
                unsafe newestNode = node.older
            }
            liveCount -= 1
        }
    }

    /// Runs `body` with the oldest snapshot while no other begins.
    func betweenSnapshots(_ body: (_ oldest: Observer?) -> Void) {
        lock.withLock { body(unsafe oldestNode?.pointee.observer) }
    }

    /// All live ones, oldest first.
    var observers: [Observer] {
        lock.withLock {
            var observers: [Observer] = []
            var next = unsafe oldestNode
            while let node = unsafe next {
                unsafe observers.append(node.pointee.observer)
                unsafe next = node.pointee.newer
            }
            return observers
        }
    }

    var count: Int { lock.withLock { liveCount } }

    /// The oldest live snapshot.
    var oldest: Observer? { lock.withLock { unsafe oldestNode?.pointee.observer } }
}

/// An element of the registry's list; only touched under its lock.
@unsafe
struct SnapshotNode {
    var observer: Observer
    var older: UnsafeMutablePointer<SnapshotNode>?
    var newer: UnsafeMutablePointer<SnapshotNode>?
}

/// Room for one live snapshot, owned by who holds it: it is released before this ends.
@safe
struct SnapshotPlace: ~Copyable, @unchecked Sendable {
    fileprivate let node = UnsafeMutablePointer<SnapshotNode>.allocate(capacity: 1)

    init() {
        let nobody = Observer(sequence: 0, wallMilliseconds: 0)
        unsafe node.initialize(to: SnapshotNode(observer: nobody, older: nil, newer: nil))
    }

    deinit { unsafe node.deallocate() }
}
