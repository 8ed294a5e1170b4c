/// Access to a value of a configuration with its error: the projection `$name` of a ``ConfigProperty`` or
/// ``ConfigValue``.
public struct ConfigAccess<Value: Sendable>: Sendable {
    let configuration: Configuration
    let reader: ConfigReader<Value>

    /// Returns the value; if no file has the key, the property's default. Throws the errors of
    /// ``Configuration/value(forKey:as:)``.
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
