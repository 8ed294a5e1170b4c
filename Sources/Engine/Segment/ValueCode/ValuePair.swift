/// A match that occurs so often that it has an item of its own: one code instead of two and their extra bits.
///
/// Values of one kind often repeat something at a fixed distance, or have a long text of the dictionary in common.
struct ValuePair: Hashable, Sendable {
    let length: Int
    let distance: Int

    /// True if a match can have this length and distance.
    var isValid: Bool {
        length >= ValueCodeFormat.lengthMin && length <= ValueCodeFormat.lengthMax && distance >= 1
            && distance <= ValueCodeFormat.distanceMax
    }
}
