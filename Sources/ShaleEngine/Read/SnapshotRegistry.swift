import ShaleBase
import ShaleManifest
import ShalePlatform

/// The live snapshots: what retention may not drop.
///
/// The visible sequence is read inside the lock, so a job that lists the snapshots either finds one or knows that its
/// sequence is at or above everything visible when the list was taken.
final class SnapshotRegistry: @unchecked Sendable {
    private let lock = Lock()
    /// Reference counts by sequence; observers with one sequence and different times are kept apart by id.
    private var live: [UInt64: Observer] = [:]
    private var nextID: UInt64 = 0

    func register(_ make: () -> Observer) -> (id: UInt64, observer: Observer) {
        lock.withLock {
            let observer = make()
            nextID += 1
            live[nextID] = observer
            return (nextID, observer)
        }
    }

    /// Runs `body` with the oldest snapshot while no other begins.
    func betweenSnapshots(_ body: (_ oldest: Observer?) -> Void) {
        lock.withLock { body(live.values.min { $0.sequence < $1.sequence }) }
    }

    func release(_ id: UInt64) { lock.withLock { live[id] = nil } }

    var observers: [Observer] { lock.withLock { Array(live.values) } }

    var count: Int { lock.withLock { live.count } }

    /// The oldest live snapshot's sequence.
    var oldest: Observer? { lock.withLock { live.values.min { $0.sequence < $1.sequence } } }
}
