import ShaleBase

enum Separator {
    /// Returns the length of the shortest prefix of `next` that is > `last`; `nil` if it is not shorter than `last`, in
    /// which case `last` itself separates. Requires `last` < `next`.
    ///
    /// The prefix of `next` that is one byte longer than their common prefix is above `last`, because its last byte is
    /// greater. It is also below `next`, unless it equals `next`, in which case `last` is used.
    static func shortLength(_ last: Bytes, before next: Bytes) -> Int? {
        let length = last.sharedPrefixCount(with: next) + 1
        return length < last.count && length < next.count ? length : nil
    }
}
