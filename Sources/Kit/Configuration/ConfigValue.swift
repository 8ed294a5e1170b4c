/// A read-only property of a struct, or of anything else, that is a value of a ``Configuration``:
/// `@ConfigValue("server", in: App.configuration) var server: String?`. Otherwise as ``ConfigProperty``.
@propertyWrapper
public struct ConfigValue<Value: Sendable>: Sendable {
    /// The value, with its error.
    public let projectedValue: ConfigAccess<Value>

    /// A property that is `nil` when no file has the key.
    public init<Wrapped: Decodable & Sendable>(_ key: String, in configuration: Configuration)
    where Value == Wrapped? {
        projectedValue = ConfigReader.optional(key).access(configuration)
    }

    /// A property that is its initial value when no file has the key.
    public init(wrappedValue: Value, _ key: String, in configuration: Configuration) where Value: Decodable {
        projectedValue = ConfigReader.value(key, default: wrappedValue).access(configuration)
    }

    /// The value; reading is that of ``ConfigProperty``.
    public var wrappedValue: Value { projectedValue.valueOrDefault }
}
