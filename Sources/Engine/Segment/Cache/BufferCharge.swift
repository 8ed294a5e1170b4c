/// What one owner's working memory is counted as, for as long as this value lives.
package struct BufferCharge: ~Copyable {
    private var budget: MemoryBudget?
    private var bytes = 0

    /// Without a budget nothing is counted.
    package init(_ budget: MemoryBudget? = nil) { self.budget = budget }

    deinit { budget?.release(bytes, for: .buffers) }

    /// Replaces the charge.
    @inline(__always)
    package mutating func set(_ bytes: Int) {
        if bytes != self.bytes { change(to: bytes) }
    }

    /// The same for an owner that learns late which budget it is on: always the same one.
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
