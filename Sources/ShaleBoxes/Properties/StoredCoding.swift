#if Encryption
    /// How the values of a property get into a compartment and out of it: chosen where the property is declared, where its
    /// type is known.
    struct StoredCoding<Value: Sendable>: Sendable {
        /// What is read while nothing is stored.
        let defaultValue: Value
        let read: @Sendable (Compartment, String) throws(StorageError) -> Value
        let write: @Sendable (Value, Compartment, String) throws(StorageError) -> Void

        static func optional<Wrapped: Codable & Sendable>() -> StoredCoding where Value == Wrapped? {
            StoredCoding(defaultValue: nil) { (compartment, key) throws(StorageError) in
                try compartment.value(forKey: key, as: Wrapped.self)
            } write: { (value, compartment, key) throws(StorageError) in
                try compartment.set(value, forKey: key)
            }
        }

        static func value(default defaultValue: Value) -> StoredCoding where Value: Codable {
            StoredCoding(defaultValue: defaultValue) { (compartment, key) throws(StorageError) in
                try compartment.value(forKey: key, as: Value.self) ?? defaultValue
            } write: { (value, compartment, key) throws(StorageError) in
                try compartment.set(value, forKey: key)
            }
        }
    }
#endif
