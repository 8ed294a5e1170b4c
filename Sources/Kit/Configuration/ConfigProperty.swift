/// A read-only property of a class that is a value of its ``Configuration``: written `@Config("key")` in a
/// ``ConfigurationOwner``.
///
/// If no file has the key, an optional property is `nil`, and any other property has its initial value. Properties
/// can't throw: if a file has a value of another type, the property reads as if no file had the key, and
/// ``Configuration/failures`` records it. The projection throws: `try config.$server.get()`. For structs use
/// ``ConfigValue``.
@propertyWrapper
public struct ConfigProperty<Owner: ConfigurationOwner, Value: Sendable> {
    private let reader: ConfigReader<Value>

    /// Makes a property that is `nil` if no file has the key.
    public init<Wrapped: Decodable & Sendable>(_ key: String) where Value == Wrapped? {
        reader = .optional(key)
    }

    /// Makes a property that has its initial value if no file has the key.
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
