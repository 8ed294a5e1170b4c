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
#endif
