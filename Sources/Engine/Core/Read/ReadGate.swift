import Synchronization

/// Decides with one load if a read may begin: the engine is open, and the batches of its state are in memtables.
struct ReadGate: ~Copyable, Sendable {
    private static let closed: UInt8 = 1
    private static let unfilled: UInt8 = 2

    /// 0 if reads may begin.
    private let bits: Atomic<UInt8>

    /// Creates the gate of an open engine. Reads wait for ``admit()`` if `isUnfilled` is true.
    init(isUnfilled: Bool) { bits = Atomic(isUnfilled ? ReadGate.unfilled : 0) }

    /// True if reads may begin. What happened before ``admit()`` is visible then.
    @inline(__always)
    var isOpen: Bool { bits.load(ordering: .acquiring) == 0 }

    var isClosed: Bool { bits.load(ordering: .acquiring) & ReadGate.closed != 0 }

    /// Ends reads.
    func close() { bits.bitwiseOr(ReadGate.closed, ordering: .releasing) }

    /// Lets reads begin, unless the engine is closed.
    func admit() { bits.bitwiseAnd(~ReadGate.unfilled, ordering: .releasing) }
}
