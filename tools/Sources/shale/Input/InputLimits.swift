/// Limits on the cost of any input: ShaleInspection.docc, "The command". Each limit is checked before memory is
/// allocated for what it limits, and the error names it.
enum InputLimits {
    /// The maximum size of a line, a stanza (as text and as JSON), an element of a JSON array, and a value: the store's
    /// limit.
    static let recordBytes = 32 << 20
    /// The maximum sizes of a key and of a batch: the store's limits.
    static let keyBytes = 16 << 10
    static let batchBytes = 64 << 20
    /// The maximum number of members of an object or stanza that becomes a record.
    static let members = 65_536
    /// The maximum number of values in a JSON text that is decoded as a whole.
    static let jsonValues = 1_000_000
    static let depth = 64
    /// The maximum size of a property list, which is read as a whole.
    static let propertyListBytes = 64 << 20
    /// The maximum number of objects in a property list, including names of members. A binary list may refer to an
    /// object many times, and is decoded to as many copies: each of them counts.
    static let propertyListObjects = 1_000_000
}
