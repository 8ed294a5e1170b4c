/// A read-only property of a struct, or of any other type, that is a value of a ``Configuration``:
/// `@ConfigValue("server", in: App.configuration) var server: String?`.
///
/// In all other respects it behaves as ``ConfigProperty``.
@propertyWrapper
public struct ConfigValue<Value: Sendable>: Sendable {
    /// Access to the value with its error.
    public let projectedValue: ConfigAccess<Value>

    /// Makes a property that is `nil` if no file has the key.
    public init<Wrapped: Decodable & Sendable>(_ key: String, in configuration: Configuration)
    where Value == Wrapped? {
        projectedValue = ConfigReader.optional(key).access(configuration)
    }

    /// Makes a property that has its initial value if no file has the key.
    public init(wrappedValue: Value, _ key: String, in configuration: Configuration) where Value: Decodable {
        projectedValue = ConfigReader.value(key, default: wrappedValue).access(configuration)
    }

    /// The value. Reading behaves as in ``ConfigProperty``.
    public var wrappedValue: Value { projectedValue.valueOrDefault }
}
