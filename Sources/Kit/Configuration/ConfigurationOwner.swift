/// A class with properties that are values of a ``Configuration``.
///
/// ```swift
/// final class AppConfig: ConfigurationOwner {
///     let configuration: Configuration
///     @Config("server") var server: String?
///     @Config("retries") var retries = 3
///     init() throws { configuration = try Configuration(named: "com.example.mail") }
/// }
/// ```
public protocol ConfigurationOwner: AnyObject {
    var configuration: Configuration { get }
}

extension ConfigurationOwner {
    /// The property wrapper of this class, written `@Config("key")`.
    public typealias Config<Value: Sendable> = ConfigProperty<Self, Value>
}
