/// The charge for one owner's working memory. The deinit releases it.
package struct BufferCharge: ~Copyable {
    private var budget: MemoryBudget?
    private var bytes = 0

    /// Makes a charge. Without a budget, nothing is counted.
    package init(_ budget: MemoryBudget? = nil) { self.budget = budget }

    deinit { budget?.release(bytes, for: .buffers) }

    /// Sets the charge to `bytes`.
    @inline(__always)
    package mutating func set(_ bytes: Int) {
        if bytes != self.bytes { change(to: bytes) }
    }

    /// Sets the charge, for an owner that learns its budget late. The budget must be the same in every call.
    @inline(__always)
    mutating func set(_ bytes: Int, on budget: MemoryBudget) {
        if bytes == self.bytes { return }
        self.budget = budget
        change(to: bytes)
    }

    private mutating func change(to bytes: Int) {
        budget?.charge(bytes - self.bytes, for: .buffers)
        self.bytes = bytes
    }
}
