/// A read-only property of a class that is a value of its ``ShippedConfiguration``: written `@Config("key")` in a
/// ``ConfigurationOwner``.
///
/// If no file has the key, an optional property is `nil`, and any other property has its initial value. Properties
/// can't throw: if a file has a value of another type, the property reads as if no file had the key, and
/// ``ShippedConfiguration/failures`` records it. The projection throws: `try config.$server.get()`. For structs use
/// ``ConfigurationValue``.
@propertyWrapper
public struct ConfigurationProperty<Owner: ConfigurationOwner, Value: Sendable> {
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
        _enclosingInstance owner: Owner, projected projected: KeyPath<Owner, ConfigurationAccess<Value>>,
        storage storage: KeyPath<Owner, Self>
    ) -> ConfigurationAccess<Value> {
        owner[keyPath: storage].reader.access(owner.configuration)
    }

    @available(*, unavailable, message: "@Config is for properties of classes; see ConfigurationValue for structs")
    public var wrappedValue: Value { reader.defaultValue }

    @available(*, unavailable, message: "@Config is for properties of classes; see ConfigurationValue for structs")
    public var projectedValue: ConfigurationAccess<Value> { preconditionFailure("a struct has no such property") }
}

/// Access to a value of a configuration with its error: the projection `$name` of a ``ConfigurationProperty`` or
/// ``ConfigurationValue``.
public struct ConfigurationAccess<Value: Sendable>: Sendable {
    let configuration: ShippedConfiguration
    let reader: ConfigReader<Value>

    /// Returns the value; if no file has the key, the property's default. Throws the errors of
    /// ``ShippedConfiguration/value(forKey:as:)``.
    public func get() throws(StorageError) -> Value { try reader.read(configuration) }

    var valueOrDefault: Value {
        do throws(StorageError) {
            return try get()
        } catch {
            configuration.failureLog.record(reader.key, error)
            return reader.defaultValue
        }
    }
}

/// A read-only property of a struct, or of any other type, that is a value of a ``ShippedConfiguration``:
/// `@ConfigurationValue("server", in: App.configuration) var server: String?`.
///
/// In all other respects it behaves as ``ConfigurationProperty``.
@propertyWrapper
public struct ConfigurationValue<Value: Sendable>: Sendable {
    /// Access to the value with its error.
    public let projectedValue: ConfigurationAccess<Value>

    /// Makes a property that is `nil` if no file has the key.
    public init<Wrapped: Decodable & Sendable>(_ key: String, in configuration: ShippedConfiguration)
    where Value == Wrapped? {
        projectedValue = ConfigReader.optional(key).access(configuration)
    }

    /// Makes a property that has its initial value if no file has the key.
    public init(wrappedValue: Value, _ key: String, in configuration: ShippedConfiguration) where Value: Decodable {
        projectedValue = ConfigReader.value(key, default: wrappedValue).access(configuration)
    }

    /// The value. Reading behaves as in ``ConfigurationProperty``.
    public var wrappedValue: Value { projectedValue.valueOrDefault }
}

/// A class with properties that are values of a ``ShippedConfiguration``.
///
/// ```swift
/// final class AppConfig: ConfigurationOwner {
///     let configuration: ShippedConfiguration
///     @Config("server") var server: String?
///     @Config("retries") var retries = 3
///     init() throws { configuration = try ShippedConfiguration(named: "com.example.mail") }
/// }
/// ```
public protocol ConfigurationOwner: AnyObject {
    var configuration: ShippedConfiguration { get }
}

extension ConfigurationOwner {
    /// The property wrapper of this class, written `@Config("key")`.
    public typealias Config<Value: Sendable> = ConfigurationProperty<Self, Value>
}

/// The way a property reads its value, chosen where it is declared and its type is known.
struct ConfigReader<Value: Sendable>: Sendable {
    let key: String
    let defaultValue: Value
    let read: @Sendable (ShippedConfiguration) throws(StorageError) -> Value

    static func optional<Wrapped: Decodable & Sendable>(
        _ key: String, default defaultValue: Wrapped? = nil
    ) -> ConfigReader where Value == Wrapped? {
        ConfigReader(key: key, defaultValue: defaultValue) { (configuration) throws(StorageError) in
            try configuration.value(forKey: key, as: Wrapped.self) ?? defaultValue
        }
    }

    static func value(_ key: String, default defaultValue: Value) -> ConfigReader where Value: Decodable {
        ConfigReader(key: key, defaultValue: defaultValue) { (configuration) throws(StorageError) in
            if let type = Value.self as? any OptionalProperty.Type {
                return try type.value(of: key, in: configuration) ?? defaultValue
            }
            return try configuration.value(forKey: key, as: Value.self) ?? defaultValue
        }
    }

    func access(_ configuration: ShippedConfiguration) -> ConfigurationAccess<Value> {
        ConfigurationAccess(configuration: configuration, reader: self)
    }
}

/// Optional types that are recognized only at run time: `var x: String? = nil`. A file contains the wrapped value.
private protocol OptionalProperty {
    static func value<Value>(of key: String, in configuration: ShippedConfiguration) throws(StorageError) -> Value?
}

extension Optional: OptionalProperty where Wrapped: Decodable {
    fileprivate static func value<Value>(
        of key: String, in configuration: ShippedConfiguration
    ) throws(StorageError) -> Value? {
        guard let wrapped = try configuration.value(forKey: key, as: Wrapped.self) else { return nil }
        return wrapped as? Value
    }
}
