/// What an input may cost, whatever is in it: ShaleInspection.docc, "The command". Each limit is checked before memory
/// is taken for what it limits, and is named by the error.
enum InputLimits {
    /// Of a line, a stanza as text and as JSON, an element of a JSON array, and a value: what a store takes.
    static let recordBytes = 32 << 20
    /// Of the members of one object or stanza that becomes a record.
    static let members = 65_536
    /// Of the values in a JSON text that is decoded as a whole.
    static let jsonValues = 1_000_000
    static let depth = 64
    /// Of a property list, which is read as a whole.
    static let propertyListBytes = 64 << 20
    /// Of what a property list stands for: a binary one may refer to an object many times, and is decoded to as many
    /// copies.
    static let expandedBytes = 64 << 20
    /// Of the objects in a property list, names of members included.
    static let propertyListObjects = 1_000_000
}
