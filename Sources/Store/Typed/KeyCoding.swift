import ShaleBase

/// The conversion between the values of a typed key and envelopes. It is chosen where the key is declared and the type
/// is known, so that reads and writes need no check of the type.
struct KeyCoding<Value: Sendable>: Sendable {
    /// Decodes the value in an envelope.
    let decode: @Sendable (RawSpan) throws(StorageError) -> Value

    /// Reads the value of a key; `nil` if it is missing. Pins the engine's memory only for values that decode quickly.
    let read: @Sendable (any NamespaceReader, String) throws(StorageError) -> Value?

    /// Passes payload and codec of a value to the body. Returns false, without a call, if the value stands for a
    /// missing key. The format applies to `Codable` values whose key names none.
    let withPayload:
        @Sendable (Value, CodableFormat, (RawSpan, ValueCodec) throws(StorageError) -> Void) throws(StorageError)
            -> Bool
}

extension KeyCoding where Value: StorableValue {
    static func storable() -> KeyCoding {
        KeyCoding { (value) throws(StorageError) in
            try EncodedValue.decode(Value.self, value)
        } read: { (reader, key) throws(StorageError) in
            try reader.value(forKey: key, as: Value.self)
        } withPayload: { (value, _, body) throws(StorageError) in
            let codec = value.codec
            try value.withPayload { (payload) throws(StorageError) in try body(payload, codec) }
            return true
        }
    }
}

extension KeyCoding where Value: Codable {
    static func codable(_ format: CodableFormat?) -> KeyCoding {
        // `Key<String?>("name", default: "Ada")` and properties that begin with `nil` get here as well.
        if Value.self is any OptionalType.Type { return wrapped(format) }
        return KeyCoding { (value) throws(StorageError) in
            try EncodedValue.decode(Value.self, value)
        } read: { (reader, key) throws(StorageError) in
            try reader.value(forKey: key, as: Value.self)
        } withPayload: { (value, standard, body) throws(StorageError) in
            try EncodedValue.with(value, as: format, default: standard, body)
            return true
        }
    }
}

extension KeyCoding {
    static func optional<Wrapped>(_ coding: KeyCoding<Wrapped>) -> KeyCoding where Value == Wrapped? {
        KeyCoding { (value) throws(StorageError) in
            try coding.decode(value)
        } read: { (reader, key) throws(StorageError) in
            guard let value = try coding.read(reader, key) else { return nil }
            return .some(value)
        } withPayload: { (value, standard, body) throws(StorageError) in
            guard let value else { return false }
            return try coding.withPayload(value, standard, body)
        }
    }
}

// MARK: Optional types that are recognized at run time

/// An optional type: its wrapped values are stored, and `nil` is a missing key.
private protocol OptionalType {
    /// Decodes a wrapped value. `Value` is this type.
    static func decode<Value>(_ envelope: RawSpan, as type: Value.Type) throws(StorageError) -> Value?
    /// Reads a wrapped value; `nil` if the key is missing. `Value` is this type.
    static func read<Value>(
        _ reader: any NamespaceReader, _ key: String, as type: Value.Type
    ) throws(StorageError) -> Value?
    /// Passes payload and codec of the wrapped value to the body. Returns false for `nil`.
    static func withPayload(
        of value: Any, _ format: CodableFormat?, _ standard: CodableFormat,
        _ body: (RawSpan, ValueCodec) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool
}

extension Optional: OptionalType where Wrapped: Codable {
    fileprivate static func decode<Value>(
        _ envelope: RawSpan, as type: Value.Type
    ) throws(StorageError) -> Value? {
        Optional(try EncodedValue.decode(Wrapped.self, envelope)) as? Value
    }

    fileprivate static func read<Value>(
        _ reader: any NamespaceReader, _ key: String, as type: Value.Type
    ) throws(StorageError) -> Value? {
        guard let value = try reader.value(forKey: key, as: Wrapped.self) else { return nil }
        return Optional(value) as? Value
    }

    fileprivate static func withPayload(
        of value: Any, _ format: CodableFormat?, _ standard: CodableFormat,
        _ body: (RawSpan, ValueCodec) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        guard let value = value as? Wrapped else { return false }
        try EncodedValue.with(value, as: format, default: standard, body)
        return true
    }
}

extension KeyCoding where Value: Codable {
    /// Returns the coding of an optional type. The type is looked up at each use: a constant that holds it would not be
    /// `Sendable`.
    private static func wrapped(_ format: CodableFormat?) -> KeyCoding {
        KeyCoding { (envelope) throws(StorageError) in
            let type = Value.self as? any OptionalType.Type
            guard let value = try type?.decode(envelope, as: Value.self) else { throw .notOptional }
            return value
        } read: { (reader, key) throws(StorageError) in
            try (Value.self as? any OptionalType.Type)?.read(reader, key, as: Value.self)
        } withPayload: { (value, standard, body) throws(StorageError) in
            try (Value.self as? any OptionalType.Type)?.withPayload(of: value, format, standard, body) ?? false
        }
    }
}

extension StorageError {
    fileprivate static var notOptional: StorageError {
        StorageError(.typeMismatch, "the type of the key is not the optional type that was read")
    }
}

/// Typed keys for other places than the engine, which store envelopes too.
extension Key {
    /// Decodes the value in an envelope.
    package func decoded(_ envelope: RawSpan) throws(StorageError) -> Value { try coding.decode(envelope) }

    /// Returns a value in an envelope; `nil` if the value stands for a missing key.
    package func envelope(of value: Value) throws(StorageError) -> [UInt8]? {
        var bytes: [UInt8]?
        _ = try coding.withPayload(value, .json) { (payload, codec) throws(StorageError) in
            bytes = try Envelope.with(codec, payload) { (envelope) throws(StorageError) in [UInt8](copying: envelope) }
        }
        return bytes
    }
}
