import ShaleBase

extension StructuredValue {
    /// A part of a property list as a type. Throws `.typeMismatch` when it is another kind of value, and `.codecFailure` when
    /// something inside it is.
    package func decoded<T: Decodable>(as type: T.Type) throws(StorageError) -> T {
        // Foundation takes flags for numbers and numbers for flags.
        switch self {
        case .bool where T.self is any Numeric.Type: throw .typeMismatch(stored: "bool", requested: "\(T.self)")
        case .int where T.self == Bool.self, .unsigned where T.self == Bool.self, .double where T.self == Bool.self:
            throw .typeMismatch(stored: "number", requested: "\(T.self)")
        default: break
        }
        let envelope = try EncodedValue.envelope(of: self, as: .propertyList)
        return try unsafe EncodedValue.decode(T.self, envelope.span.bytes)
    }
}
