package import ShaleBase
import ShalePlatform
import Synchronization

/// Keeps arenas of the standard capacity whose pages were touched before. First touches cost about 70 ns per entry, a
/// large part of an insert.
///
/// Arenas in use count towards `keptMax`: kept and used arenas together never exceed it, unless more are in use at
/// once. Thread-safe.
package final class ArenaPool: Sendable {
    package let capacity: Int
    package let keptMax: Int
    private let kept = Guarded<[Arena]>([])
    private let lent = Atomic<Int>(0)

    /// Creates an empty pool.
    ///
    /// - Parameters:
    ///   - capacity: The bytes of an arena.
    ///   - keptMax: The number of arenas, used and unused, up to which unused ones are kept.
    package init(capacity: Int, keptMax: Int) {
        self.capacity = capacity
        self.keptMax = keptMax
    }

    /// Returns an empty arena of the standard capacity, recycled if possible. A memtable returns it when it is
    /// released.
    package func take() throws(IOFailure) -> Arena {
        let recycled = kept.withLock { $0.popLast() }
        let arena = if let recycled { recycled } else { try Arena(capacity: capacity) }
        arena.pool.withLock { $0 = self }
        lent.add(1, ordering: .relaxed)
        return arena
    }

    /// Returns an empty arena in which such a batch certainly fits: a standard one if that suffices, otherwise one of
    /// the required size.
    package func take(forBatchBytes bytes: Int, operations: Int) throws(IOFailure) -> Arena {
        let wanted = Arena.capacity(forBytes: bytes, operations: operations)
        return wanted <= capacity ? try take() : try Arena(capacity: wanted)
    }

    /// Takes back an unused arena. Frees it if it is surplus.
    func give(_ arena: Arena) {
        arena.reset()
        let othersLent = lent.subtract(1, ordering: .relaxed).newValue
        kept.withLock { arenas in
            if arenas.count + othersLent < keptMax { arenas.append(arena) }
        }
    }

    /// Frees the kept arenas, under memory pressure.
    package func trim() {
        kept.withLock { $0.removeAll() }
    }

    package var keptCount: Int { kept.withLock { $0.count } }

    /// The memory that standard arenas may have touched, used and kept.
    package var heldBytes: Int { (keptCount + lent.load(ordering: .relaxed)) * capacity }
}
