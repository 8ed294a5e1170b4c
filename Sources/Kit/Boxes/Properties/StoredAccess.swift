#if Encryption
    /// A stored property, with its errors: the projection `$name` of a ``StoredProperty`` or ``BoxValue``. It goes on meaning the user that
    /// was signed in when it was taken.
    public struct StoredAccess<Value: Sendable>: Sendable {
        let compartment: Compartment
        /// The error is that of a name that could not be found.
        let key: Result<String, StorageError>
        let coding: StoredCoding<Value>

        /// The value, or what the property reads as while nothing is stored. Errors, none of which turns into that: those of
        /// ``Compartment/value(forKey:as:)``.
        public func get() throws(StorageError) -> Value { try coding.read(compartment, try key.get()) }

        /// Stores a value; `nil` removes it. Errors as for ``Compartment/set(_:forKey:)``.
        public func set(_ value: Value) throws(StorageError) { try coding.write(value, compartment, try key.get()) }

        /// Removes what is stored.
        public func remove() throws(StorageError) { try compartment.remove(try key.get()) }

        // MARK: For properties

        var valueOrDefault: Value {
            do throws(StorageError) {
                return try get()
            } catch {
                // Having no user is a state, and not a failure.
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
