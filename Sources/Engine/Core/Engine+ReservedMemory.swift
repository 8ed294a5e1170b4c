import ShaleSegment

/// Memory of the layer above that counts in the engine's budget for as long as this object lives. Thread-safe.
package final class ReservedMemory: Sendable {
    private let budget: MemoryBudget
    private let bytes: Int

    fileprivate init(_ budget: MemoryBudget, _ bytes: Int) {
        self.budget = budget
        self.bytes = bytes
        budget.charge(bytes, for: .buffers)
    }

    deinit { budget.release(bytes, for: .buffers) }
}

extension Engine {
    /// Counts memory that the caller is going to take: the block cache gives way to it.
    package func reserveMemory(_ bytes: Int) -> ReservedMemory {
        ReservedMemory(core.segmentEnvironment.budget, bytes)
    }
}
