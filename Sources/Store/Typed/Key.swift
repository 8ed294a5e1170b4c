public import ShaleBase

/// The place where typed keys are declared: static constants in an extension. See ``Key``.
///
/// ```swift
/// extension Keys {
///     static let quality = Key<Double>("quality", default: 0.8)
///     static let draft = Key<Draft?>("draft", options: .purgeable)
/// }
/// ```
/// `Key` inherits from this class. A function that takes a `Key` therefore finds the constants as `.quality`, although
/// a generic class can't have static constants of its own.
public class Keys: @unchecked Sendable {
    // Has no state, and ``Key`` has only constants.
    fileprivate init() {}
}

/// A key together with the type of its values and a default for reads of a missing key. Declared once, used without
/// repeating either.
///
/// ```swift
/// extension Keys {
///     static let quality = Key<Double>("quality", default: 0.8)
///     static let draft = Key<Draft?>("draft", options: .purgeable)
/// }
///
/// try settings.set(0.5, for: .quality)
/// let quality = try settings.value(for: .quality)     // Double
/// let draft = try settings.value(for: .draft)         // Draft?
/// ```
/// A static constant is made at its first use; later uses allocate nothing. Values are of any `Codable & Sendable`
/// type. Typed and plain keys use the same encodings, so a value set through one can be read through the other. A key
/// of an optional type needs no default: a missing key reads as `nil`. Setting `nil` removes the key, which then reads
/// as `nil` or as the default that it was declared with.
public final class Key<Value: Sendable>: Keys, @unchecked Sendable {
    /// The key in the namespace: its UTF-8, 0 … 16 384 bytes.
    public let name: String

    /// The value that a read returns if the key is missing. Accesses that can't throw also return it after an error:
    /// ``Store/Namespace/subscript(_:)``, and properties of ShaleKit.
    public let defaultValue: Value

    /// The options of writes that don't give their own.
    public let options: ValueOptions

    let coding: KeyCoding<Value>

    /// Makes a key for values with an encoding of their own.
    public convenience init(_ name: String, default defaultValue: Value, options: ValueOptions = [])
    where Value: StorableValue {
        self.init(name, defaultValue, options, .storable())
    }

    /// Makes a key for `Codable` values. `format` is as in ``Store/Namespace/set(_:forKey:as:options:durability:)``.
    public convenience init(
        _ name: String, default defaultValue: Value, as format: CodableFormat? = nil, options: ValueOptions = []
    ) where Value: Codable {
        self.init(name, defaultValue, options, .codable(format))
    }

    /// Makes a key for optional values with an encoding of their own.
    public convenience init<Wrapped: StorableValue>(_ name: String, options: ValueOptions = [])
    where Value == Wrapped? {
        self.init(name, nil, options, .optional(.storable()))
    }

    /// Makes a key for optional `Codable` values.
    /// `format` is as in ``Store/Namespace/set(_:forKey:as:options:durability:)``.
    public convenience init<Wrapped: Codable & Sendable>(
        _ name: String, as format: CodableFormat? = nil, options: ValueOptions = []
    ) where Value == Wrapped? {
        self.init(name, nil, options, .optional(.codable(format)))
    }

    init(_ name: String, _ defaultValue: Value, _ options: ValueOptions, _ coding: KeyCoding<Value>) {
        self.name = name
        self.defaultValue = defaultValue
        self.options = options
        self.coding = coding
        super.init()
    }
}

/// Typed keys in batches and transactions.
extension Store.Batch {
    /// Sets the value of a typed key; `nil` removes it. See ``Store/Namespace/set(_:for:options:durability:)``.
    public mutating func set<Value>(
        _ value: Value, for key: Key<Value>, in namespace: Store.Namespace, options: ValueOptions = []
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

extension Store.Transaction {
    /// Returns the value of a typed key as this transaction sees it; its default if the key is missing. Throws the
    /// errors of ``NamespaceReader/value(for:)``.
    public func value<Value>(for key: Key<Value>, in namespace: Store.Namespace) throws(StorageError) -> Value {
        try self[namespace].value(for: key)
    }

    /// Sets the value of a typed key; `nil` removes it. See ``Store/Namespace/set(_:for:options:durability:)``.
    public func set<Value>(
        _ value: Value, for key: Key<Value>, in namespace: Store.Namespace, options: ValueOptions = []
    ) throws(StorageError) {
        let isPresent = try key.coding.withPayload(value, namespace.state.core.options.codableFormat) {
            (payload, codec) throws(StorageError) in
            try put(payload, codec, key.name, namespace, [key.options, options])
        }
        if !isPresent { try remove(key.name, in: namespace) }
    }
}
