/// A value of a configuration, with its error: the projection `$name` of a ``ConfigProperty`` or ``ConfigValue``.
public struct ConfigAccess<Value: Sendable>: Sendable {
    let configuration: Configuration
    let reader: ConfigReader<Value>

    /// The value, or what the property is when no file has the key. Errors as for ``Configuration/value(forKey:as:)``.
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
