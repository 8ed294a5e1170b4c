import ShaleBase

/// How the values of a typed key get into envelopes and out of them: chosen where the key is declared, where their type
/// is known, so that reading and writing need no look at it.
struct KeyCoding<Value: Sendable>: Sendable {
    /// The value in an envelope, for transactions, which have a copy of it.
    let decode: @Sendable (RawSpan) throws(StorageError) -> Value

    /// The value of a key; `nil` when it is missing. With the engine's memory pinned only for what is quickly decoded.
    let read: @Sendable (Namespace, String) throws(StorageError) -> Value?

    /// Lends payload and codec of a value; false, and no call, when it stands for a missing key. The format is that of
    /// `Codable` values when nothing else is said.
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
