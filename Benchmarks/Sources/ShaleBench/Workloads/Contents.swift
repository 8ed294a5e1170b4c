/// What is known to be in a store: items 0 ..< count, each under a key of its own.
struct Contents: Sendable {
    var count = 0
    /// Every item's value is of one of these generations.
    var generations: ClosedRange<UInt64> = 0...0
    /// The key of an item; without one it is the item's number.
    var keys: Permutation?
    /// What the store went through last.
    var after = ""

    @inline(__always)
    func key(_ item: Int) -> Int { keys.map { $0[item] } ?? item }
}
