#if Encryption
    /// The conversion between the values of a property and a compartment, chosen where the property is declared and its
    /// type is known.
    struct StoredCoding<Value: Sendable>: Sendable {
        /// The value of the property while nothing is stored.
        let defaultValue: Value
        let read: @Sendable (Compartment, String) throws(StorageError) -> Value
        let write: @Sendable (Value, Compartment, String) throws(StorageError) -> Void

        static func optional<Wrapped: Codable & Sendable>(
            default defaultValue: Wrapped? = nil
        ) -> StoredCoding where Value == Wrapped? {
            StoredCoding(defaultValue: defaultValue) { (compartment, key) throws(StorageError) in
                try compartment.value(forKey: key, as: Wrapped.self) ?? defaultValue
            } write: { (value, compartment, key) throws(StorageError) in
                try compartment.set(value, forKey: key)
            }
        }

        static func value(default defaultValue: Value) -> StoredCoding where Value: Codable {
            StoredCoding(defaultValue: defaultValue) { (compartment, key) throws(StorageError) in
                if let type = Value.self as? any OptionalProperty.Type {
                    return try type.value(of: key, in: compartment) ?? defaultValue
                }
                return try compartment.value(forKey: key, as: Value.self) ?? defaultValue
            } write: { (value, compartment, key) throws(StorageError) in
                if let type = Value.self as? any OptionalProperty.Type {
                    return try type.set(value, of: key, in: compartment)
                }
                try compartment.set(value, forKey: key)
            }
        }
    }

    /// Optional types that are recognized only at run time: `var x: String? = nil`. The wrapped value is stored.
    private protocol OptionalProperty {
        static func value<Value>(of key: String, in compartment: Compartment) throws(StorageError) -> Value?
        static func set<Value>(_ value: Value, of key: String, in compartment: Compartment) throws(StorageError)
    }

    extension Optional: OptionalProperty where Wrapped: Codable {
        fileprivate static func value<Value>(
            of key: String, in compartment: Compartment
        ) throws(StorageError) -> Value? {
            guard let wrapped = try compartment.value(forKey: key, as: Wrapped.self) else { return nil }
            return wrapped as? Value
        }

        fileprivate static func set<Value>(
            _ value: Value, of key: String, in compartment: Compartment
        ) throws(StorageError) {
            try compartment.set(value as? Wrapped, forKey: key)
        }
    }
#endif
