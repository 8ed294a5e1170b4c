import Synchronization

/// The counter that numbers all files. A number may be lost, but is never used twice.
package final class FileNumbers: Sendable {
    private let counter: Atomic<UInt64>

    package init(next: UInt64) { counter = Atomic(next) }

    package func allocate() -> UInt64 { counter.wrappingAdd(1, ordering: .relaxed).oldValue }

    /// Marks all numbers below `number` as used.
    package func raise(to number: UInt64) { _ = counter.max(number, ordering: .relaxed) }

    package var next: UInt64 { counter.load(ordering: .relaxed) }
}
