/// The known content of a store: items 0 ..< count, each under a key of its own.
struct Contents: Sendable {
    var count = 0
    /// Every item's value is of one of these generations.
    var generations: ClosedRange<UInt64> = 0...0
    /// Maps items to keys; without it, the key is the item's number.
    var keys: Permutation?
    /// The last step of the store.
    var after = ""

    @inline(__always)
    func key(_ item: Int) -> Int { keys.map { $0[item] } ?? item }
}
