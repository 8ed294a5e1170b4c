import ShaleSegment

/// Memory of a caller that counts in the engine's budget while this object exists. Thread-safe.
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
    /// Reserves memory for the caller in the engine's budget. The block cache shrinks accordingly.
    package func reserveMemory(_ bytes: Int) -> ReservedMemory {
        ReservedMemory(core.segmentEnvironment.budget, bytes)
    }
}
