import ShaleBase

extension StructuredValue {
    /// Decodes a part of a property list as a type. Throws `.typeMismatch` if the part is another kind of value,
    /// `.codecFailure` if something inside it is.
    package func decoded<T: Decodable>(as type: T.Type) throws(StorageError) -> T {
        // Foundation decodes flags as numbers and numbers as flags.
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
