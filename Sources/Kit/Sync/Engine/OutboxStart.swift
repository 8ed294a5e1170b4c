import Shale
import ShaleBase
import Synchronization

/// The order at which the outbox begins. A cursor that begins there passes over the keys of changes that were sent
/// before: until a compaction they are deletes, and a long backlog would be quadratic work.
///
/// It is a hint of one cycle. A change that is committed late, with a lower order, is met after ``restart()``.
/// Thread-safe.
final class OutboxStart: Sendable {
    private let order = Atomic<UInt64>(0)

    func cursor(in pending: some NamespaceReader) -> Scan<EntryKey>.Cursor {
        let start = order.load(ordering: .relaxed)
        return (start == 0 ? pending.keys : pending.keys.after([UInt8](bigEndian: start))).cursor()
    }

    /// Called with the first order that a cursor has met.
    func begins(at first: UInt64) { order.store(first, ordering: .relaxed) }

    /// Called with the order of a change that gets into the outbox.
    func adds(_ added: UInt64) { order.min(added, ordering: .relaxed) }

    /// Begins at the first key again.
    func restart() { order.store(0, ordering: .relaxed) }

    /// True if the next cursor begins at the first key.
    var isWhole: Bool { order.load(ordering: .relaxed) == 0 }
}
