#if Encryption
    /// Access to a stored property with its errors: the projection `$name` of a ``StoredProperty`` or ``BoxValue``.
    ///
    /// It keeps referring to the user that was signed in when it was taken.
    public struct StoredAccess<Value: Sendable>: Sendable {
        let compartment: Compartment
        /// The key, or the error if the property's name could not be found.
        let key: Result<String, StorageError>
        let coding: StoredCoding<Value>

        /// Returns the value; if nothing is stored, the property's default. Throws the errors of
        /// ``Compartment/value(forKey:as:)``; none turns into the default.
        public func get() throws(StorageError) -> Value { try coding.read(compartment, try key.get()) }

        /// Stores a value; `nil` removes it. Throws the errors of ``Compartment/set(_:forKey:)``.
        public func set(_ value: Value) throws(StorageError) { try coding.write(value, compartment, try key.get()) }

        /// Removes the stored value.
        public func remove() throws(StorageError) { try compartment.remove(try key.get()) }

        // MARK: For properties

        var valueOrDefault: Value {
            do throws(StorageError) {
                return try get()
            } catch {
                // The absence of a user is a state, not a failure.
                if error.code != .noCurrentUser { note(error, isWrite: false) }
                return coding.defaultValue
            }
        }

        func setOrNote(_ value: Value) {
            do throws(StorageError) { try set(value) } catch { note(error, isWrite: true) }
        }

        private func note(_ error: StorageError, isWrite: Bool) {
            let name = if case .success(let key) = key { key } else { "" }
            compartment.box.failureLog.record(error, name, compartment.scope, isWrite: isWrite)
        }
    }

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
