import ShaleBase

/// Operations that are inserted together, so that their ways down the tree overlap (``LookAhead``).
///
/// Borrows their bytes. One thread at a time.
@safe
package final class SingleGroup {
    package static var capacity: Int { LookAhead.width }

    private let operations: UnsafeMutablePointer<SingleOperation>
    package private(set) var count = 0
    /// What the operations count in ``Memtable/hasRoom(bytes:operations:)``.
    package private(set) var byteCount = 0

    package init() { unsafe operations = .allocate(capacity: SingleGroup.capacity) }

    deinit { unsafe operations.deallocate() }

    package var isFull: Bool { count == SingleGroup.capacity }

    /// - Precondition: not full.
    @inline(__always)
    package func append(_ operation: SingleOperation, byteCount: Int) {
        precondition(count < SingleGroup.capacity, "a group of operations is full")
        unsafe (operations + count).initialize(to: operation)
        count &+= 1
        self.byteCount &+= byteCount
    }

    /// Inserts all, in order, and forgets them. The caller asked for room before.
    package func apply(to memtable: Memtable) {
        unsafe memtable.insert(UnsafeBufferPointer(start: operations, count: count))
        count = 0
        byteCount = 0
    }
}
