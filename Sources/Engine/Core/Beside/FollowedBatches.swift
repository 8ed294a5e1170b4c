import ShaleBase
import ShaleLog
import ShaleMemtable
import ShalePlatform

/// The batches of a state that are in no segment: those of some logs, each up to an end. They are inserted into
/// memtables when the state is read for the first time. Thread-safe.
///
/// The logs stay open until then, so they can be read although the owner has deleted them.
final class FollowedBatches: @unchecked Sendable {
    struct Part {
        let log: LogFollower
        /// The end of the state's last record in `log`.
        let end: UInt64
        let memtables: FollowedMemtables
    }

    private let lock = Lock()
    /// The parts that may have batches to insert, oldest first; `nil` once all of them are in memtables.
    private var pending: [Part]?
    /// Keeps the memory of the memtables charged.
    private let memtables: [FollowedMemtables]

    /// Takes the parts of a state, oldest first.
    init(_ parts: [Part]) {
        memtables = parts.map(\.memtables)
        pending = parts.allSatisfy { $0.memtables.isFilled(to: $0.end) } ? nil : parts
    }

    /// True if batches are in no memtable yet.
    var isPending: Bool { lock.withLock { pending != nil } }

    /// The memtables that there are, newest first.
    var present: [Memtable] { memtables.flatMap(\.present).reversed() }

    /// Inserts what is in no memtable yet. Then calls `body` with the memtables, newest first. Other callers wait
    /// meanwhile, and return without a call of their `body`.
    func fill(_ body: ([Memtable]) -> Void) throws(StorageError) {
        try lock.withLock { () throws(StorageError) in
            guard let parts = pending else { return }
            var all: [Memtable] = []
            for part in parts { all += try part.memtables.fill(from: part.log, to: part.end) }
            body(all.reversed())
            pending = nil
        }
    }
}
