/// A key with the type of its values and what is read when it is missing: declared once, used without repeating either.
///
/// ```swift
/// extension Key where Value == Double { static var quality: Key { Key("quality", default: 0.8) } }
/// extension Key where Value == Draft? { static var draft: Key { Key("draft", .purgeable) } }
///
/// try settings.set(0.5, for: .quality)
/// let quality = try settings.value(for: .quality)     // Double
/// let draft = try settings.value(for: .draft)         // Draft?
/// ```
/// Values are any `Codable & Sendable` type, in the encodings that the calls with plain keys use too: what is set through
/// a typed key is read through a plain one, and the other way round. An optional type needs no default: missing is `nil`,
/// and setting `nil` removes.
public struct Key<Value: Sendable>: Sendable {
    /// The key in the namespace: its UTF-8, 0 … 16 384 bytes.
    public let name: String

    /// What is read when the key is missing. Never what is read instead of an error.
    public let defaultValue: Value

    /// How values are stored when a write does not say.
    public let options: ValueOptions

    let coding: KeyCoding<Value>

    /// A key of values with an encoding of their own.
    public init(_ name: String, default defaultValue: Value, _ options: ValueOptions = []) where Value: StorableValue {
        self.init(name, defaultValue, options, .storable())
    }

    /// A key of `Codable` values. `format` as for ``Namespace/set(_:forKey:as:_:durability:)``.
    public init(
        _ name: String, default defaultValue: Value, as format: CodableFormat? = nil, _ options: ValueOptions = []
    ) where Value: Codable {
        self.init(name, defaultValue, options, .codable(format))
    }

    /// A key of values with an encoding of their own, or none.
    public init<Wrapped: StorableValue>(_ name: String, _ options: ValueOptions = []) where Value == Wrapped? {
        self.init(name, nil, options, .optional(.storable()))
    }

    /// A key of `Codable` values, or none. `format` as for ``Namespace/set(_:forKey:as:_:durability:)``.
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
