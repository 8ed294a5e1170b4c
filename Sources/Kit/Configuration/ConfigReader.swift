/// The way a property reads its value, chosen where it is declared and its type is known.
struct ConfigReader<Value: Sendable>: Sendable {
    let key: String
    let defaultValue: Value
    let read: @Sendable (Configuration) throws(StorageError) -> Value

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

    func access(_ configuration: Configuration) -> ConfigAccess<Value> {
        ConfigAccess(configuration: configuration, reader: self)
    }
}

/// Optional types that are recognized only at run time: `var x: String? = nil`. A file contains the wrapped value.
private protocol OptionalProperty {
    static func value<Value>(of key: String, in configuration: Configuration) throws(StorageError) -> Value?
}

extension Optional: OptionalProperty where Wrapped: Decodable {
    fileprivate static func value<Value>(
        of key: String, in configuration: Configuration
    ) throws(StorageError) -> Value? {
        guard let wrapped = try configuration.value(forKey: key, as: Wrapped.self) else { return nil }
        return wrapped as? Value
    }
}
