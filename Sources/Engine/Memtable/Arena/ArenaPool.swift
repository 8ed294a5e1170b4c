package import ShaleBase
import ShalePlatform
import Synchronization

/// Keeps arenas of the standard capacity whose pages were touched before: first touches cost about 70 ns per entry, a
/// good part of an insert.
///
/// Arenas in use count among those that it may keep: together they are never more than `keptMax`, unless more than that
/// are in use at once. Thread-safe.
package final class ArenaPool: Sendable {
    package let capacity: Int
    package let keptMax: Int
    private let kept = Guarded<[Arena]>([])
    private let lent = Atomic<Int>(0)

    /// - Parameters:
    ///   - capacity: bytes per arena.
    ///   - keptMax: how many arenas may exist for the unused ones to be kept.
    package init(capacity: Int, keptMax: Int) {
        self.capacity = capacity
        self.keptMax = keptMax
    }

    /// An empty arena of the standard capacity, recycled if possible. A memtable gives it back when it goes.
    package func take() throws(IOFailure) -> Arena {
        let recycled = kept.withLock { $0.popLast() }
        let arena = if let recycled { recycled } else { try Arena(capacity: capacity) }
        arena.pool.withLock { $0 = self }
        lent.add(1, ordering: .relaxed)
        return arena
    }

    /// An empty arena in which such a batch fits for certain: a standard one when it does, or one made to measure.
    package func take(forBatchBytes bytes: Int, operations: Int) throws(IOFailure) -> Arena {
        let wanted = Arena.capacity(forBytes: bytes, operations: operations)
        return wanted <= capacity ? try take() : try Arena(capacity: wanted)
    }

    /// Takes an arena back that nobody uses any more. A surplus one is freed.
    func give(_ arena: Arena) {
        arena.reset()
        let othersLent = lent.subtract(1, ordering: .relaxed).newValue
        kept.withLock { arenas in
            if arenas.count + othersLent < keptMax { arenas.append(arena) }
        }
    }

    /// Frees what is kept: the answer to memory pressure.
    package func trim() {
        kept.withLock { $0.removeAll() }
    }

    package var keptCount: Int { kept.withLock { $0.count } }

    /// Memory that standard arenas may have touched, in use and kept.
    package var heldBytes: Int { (keptCount + lent.load(ordering: .relaxed)) * capacity }
}
