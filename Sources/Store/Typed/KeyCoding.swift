import ShaleBase

/// The conversion between the values of a typed key and envelopes. It is chosen where the key is declared and the type
/// is known, so that reads and writes need no check of the type.
struct KeyCoding<Value: Sendable>: Sendable {
    /// Decodes the value in an envelope, for transactions, which have a copy of it.
    let decode: @Sendable (RawSpan) throws(StorageError) -> Value

    /// Reads the value of a key; `nil` if it is missing. Pins the engine's memory only for values that decode quickly.
    let read: @Sendable (Namespace, String) throws(StorageError) -> Value?

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
        } read: { (namespace, key) throws(StorageError) in
            try namespace.value(forKey: key, as: Value.self)
        } withPayload: { (value, _, body) throws(StorageError) in
            let codec = value.codec
            try value.withPayload { (payload) throws(StorageError) in try body(payload, codec) }
            return true
        }
    }
}

extension KeyCoding where Value: Codable {
    static func codable(_ format: CodableFormat?) -> KeyCoding {
        KeyCoding { (value) throws(StorageError) in
            try EncodedValue.decode(Value.self, value)
        } read: { (namespace, key) throws(StorageError) in
            try namespace.value(forKey: key, as: Value.self)
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
        } read: { (namespace, key) throws(StorageError) in
            guard let value = try coding.read(namespace, key) else { return nil }
            return .some(value)
        } withPayload: { (value, standard, body) throws(StorageError) in
            guard let value else { return false }
            return try coding.withPayload(value, standard, body)
        }
    }
}
