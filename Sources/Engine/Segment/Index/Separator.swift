import ShaleBase

enum Separator {
    /// The length of the shortest prefix of `next` that is > `last`, when that is shorter than `last`; otherwise nil:
    /// `last` itself separates. Requires `last` < `next`.
    ///
    /// A prefix of `next` one byte longer than what both share is above `last`, since it differs there upwards. It is
    /// also below `next` unless it is `next`, in which case `last` serves.
    static func shortLength(_ last: Bytes, before next: Bytes) -> Int? {
        let length = last.sharedPrefixCount(with: next) + 1
        return length < last.count && length < next.count ? length : nil
    }
}
