import ShaleBase

/// Operations that are inserted together, so that their cache misses on the way down the tree overlap (``LookAhead``).
///
/// Borrows their bytes. One thread at a time.
@safe
package final class SingleGroup {
    package static var capacity: Int { LookAhead.width }

    private let operations: UnsafeMutablePointer<SingleOperation>
    package private(set) var count = 0
    /// The number of bytes of the operations, as ``Memtable/hasRoom(bytes:operations:)`` counts them.
    package private(set) var byteCount = 0

    package init() { unsafe operations = .allocate(capacity: SingleGroup.capacity) }

    deinit { unsafe operations.deallocate() }

    package var isFull: Bool { count == SingleGroup.capacity }

    /// Adds an operation.
    ///
    /// - Precondition: The group is not full.
    @inline(__always)
    package func append(_ operation: SingleOperation, byteCount: Int) {
        precondition(count < SingleGroup.capacity, "a group of operations is full")
        unsafe (operations + count).initialize(to: operation)
        count &+= 1
        self.byteCount &+= byteCount
    }

    /// Inserts all operations in order and empties the group. The caller has checked for room.
    package func apply(to memtable: Memtable) {
        unsafe memtable.insert(UnsafeBufferPointer(start: operations, count: count))
        count = 0
        byteCount = 0
    }
}
