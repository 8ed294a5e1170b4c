/// A read-only property of a class that is a value of its ``Configuration``: written `@Config("key")` inside a ``ConfigurationOwner``.
///
/// An optional property is `nil` when no file has the key, any other is its initial value then. Properties can't throw: where a
/// file has a value of another type, a property reads as if it had none, and ``Configuration/failures`` tells; the projection
/// throws: `try config.$server.get()`. For structs: ``ConfigValue``.
@propertyWrapper
public struct ConfigProperty<Owner: ConfigurationOwner, Value: Sendable> {
    private let reader: ConfigReader<Value>

    /// A property that is `nil` when no file has the key.
    public init<Wrapped: Decodable & Sendable>(_ key: String) where Value == Wrapped? {
        reader = .optional(key)
    }

    /// A property that is its initial value when no file has the key.
    public init(wrappedValue: Value, _ key: String) where Value: Decodable {
        reader = .value(key, default: wrappedValue)
    }

    public static subscript(
        _enclosingInstance owner: Owner, wrapped wrapped: KeyPath<Owner, Value>,
        storage storage: KeyPath<Owner, Self>
    ) -> Value {
        owner[keyPath: storage].reader.access(owner.configuration).valueOrDefault
    }

    public static subscript(
        _enclosingInstance owner: Owner, projected projected: KeyPath<Owner, ConfigAccess<Value>>,
        storage storage: KeyPath<Owner, Self>
    ) -> ConfigAccess<Value> {
        owner[keyPath: storage].reader.access(owner.configuration)
    }

    @available(*, unavailable, message: "@Config is for properties of classes; see ConfigValue for structs")
    public var wrappedValue: Value { reader.defaultValue }

    @available(*, unavailable, message: "@Config is for properties of classes; see ConfigValue for structs")
    public var projectedValue: ConfigAccess<Value> { preconditionFailure("a struct has no such property") }
}
