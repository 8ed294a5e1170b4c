public import ShaleBase

/// A key together with the type of its values and a default for reads of a missing key. Declared once, used without
/// repeating either.
///
/// ```swift
/// extension Key where Value == Double { static var quality: Key { Key("quality", default: 0.8) } }
/// extension Key where Value == Draft? { static var draft: Key { Key("draft", .purgeable) } }
///
/// try settings.set(0.5, for: .quality)
/// let quality = try settings.value(for: .quality)     // Double
/// let draft = try settings.value(for: .draft)         // Draft?
/// ```
/// Values are of any `Codable & Sendable` type. Typed and plain keys use the same encodings, so a value set through one
/// can be read through the other. A key of an optional type needs no default: a missing key reads as `nil`, and setting
/// `nil` removes it.
public struct Key<Value: Sendable>: Sendable {
    /// The key in the namespace: its UTF-8, 0 … 16 384 bytes.
    public let name: String

    /// The value that a read returns if the key is missing. Only ``Namespace/subscript(_:)`` also returns it after an
    /// error.
    public let defaultValue: Value

    /// The options of writes that don't give their own.
    public let options: ValueOptions

    let coding: KeyCoding<Value>

    /// Makes a key for values with an encoding of their own.
    public init(_ name: String, default defaultValue: Value, _ options: ValueOptions = []) where Value: StorableValue {
        self.init(name, defaultValue, options, .storable())
    }

    /// Makes a key for `Codable` values. `format` is as in ``Namespace/set(_:forKey:as:_:durability:)``.
    public init(
        _ name: String, default defaultValue: Value, as format: CodableFormat? = nil, _ options: ValueOptions = []
    ) where Value: Codable {
        self.init(name, defaultValue, options, .codable(format))
    }

    /// Makes a key for optional values with an encoding of their own.
    public init<Wrapped: StorableValue>(_ name: String, _ options: ValueOptions = []) where Value == Wrapped? {
        self.init(name, nil, options, .optional(.storable()))
    }

    /// Makes a key for optional `Codable` values. `format` is as in ``Namespace/set(_:forKey:as:_:durability:)``.
    public init<Wrapped: Codable & Sendable>(
        _ name: String, as format: CodableFormat? = nil, _ options: ValueOptions = []
    ) where Value == Wrapped? {
        self.init(name, nil, options, .optional(.codable(format)))
    }

    private init(_ name: String, _ defaultValue: Value, _ options: ValueOptions, _ coding: KeyCoding<Value>) {
        self.name = name
        self.defaultValue = defaultValue
        self.options = options
        self.coding = coding
    }
}

/// Typed keys in batches and transactions.
extension StoreBatch {
    /// Sets the value of a typed key; `nil` removes it. See ``Namespace/set(_:for:_:durability:)``.
    public mutating func set<Value>(
        _ value: Value, for key: Key<Value>, in namespace: Namespace, _ options: ValueOptions = []
    ) throws(StorageError) {
        let isPresent = try key.name.withKeyBytes { (name) throws(StorageError) in
            try key.coding.withPayload(value, namespace.state.core.options.codableFormat) {
                (payload, codec) throws(StorageError) in
                try put(payload, codec, name, namespace, [key.options, options])
            }
        }
        if !isPresent { try remove(key.name, in: namespace) }
    }
}

extension StoreTransaction {
    /// Returns the value of a typed key as this transaction sees it; its default if the key is missing. Throws the
    /// errors of ``Namespace/value(for:)``.
    public func value<Value>(for key: Key<Value>, in namespace: Namespace) throws(StorageError) -> Value {
        guard let stored = try stored(key.name, namespace) else { return key.defaultValue }
        return try unsafe key.coding.decode(stored.span.bytes)
    }

    /// Sets the value of a typed key; `nil` removes it. See ``Namespace/set(_:for:_:durability:)``.
    public func set<Value>(
        _ value: Value, for key: Key<Value>, in namespace: Namespace, _ options: ValueOptions = []
    ) throws(StorageError) {
        let isPresent = try key.coding.withPayload(value, namespace.state.core.options.codableFormat) {
            (payload, codec) throws(StorageError) in
            try put(payload, codec, key.name, namespace, [key.options, options])
        }
        if !isPresent { try remove(key.name, in: namespace) }
    }
}

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
