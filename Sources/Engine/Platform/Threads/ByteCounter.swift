import Synchronization

/// A total to which several threads add.
package final class ByteCounter: Sendable {
    private let value = Atomic<UInt64>(0)

    package init() {}

    package func add(_ bytes: UInt64) { value.wrappingAdd(bytes, ordering: .relaxed) }

    package var current: UInt64 { value.load(ordering: .relaxed) }
}
