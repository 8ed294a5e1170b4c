#if Encryption
    import ShaleBase

    /// Values of a ``DataBox`` under one name, in one scope, shared or of one user.
    ///
    /// The compartment keeps referring to that user when another one signs in. Thread-safe.
    public struct Compartment: Sendable {
        let box: DataBox
        let scope: BoxScope
        /// The location, or the error if there can't be one.
        private let location: Result<BoxLocation, StorageError>

        /// The owner of the values.
        enum Owner {
            case shared
            /// The user with this id; `nil` if no user is signed in.
            case user(String?)

            /// Returns the user's id; `nil` for shared values.
            func id() throws(StorageError) -> String? {
                guard case .user(let id) = self else { return nil }
                guard let id else { throw StorageError(.noCurrentUser, "no user is signed in") }
                guard !id.isEmpty else { throw StorageError(.invalidArgument, "a user id is empty") }
                return id
            }
        }

        init(_ box: DataBox, _ name: String, _ scope: BoxScope, _ owner: Owner) {
            self.box = box
            self.scope = scope
            do throws(StorageError) {
                location = .success(try Compartment.location(box, name, scope, try owner.id()))
            } catch {
                location = .failure(error)
            }
        }

        private static func location(
            _ box: DataBox, _ name: String, _ scope: BoxScope, _ user: String?
        ) throws(StorageError) -> BoxLocation {
            guard let scopePath = BoxLocation.path(scope, of: box) else {
                let space = user.map { box.store.user($0) } ?? box.store.common
                return .namespace(space["boxes"].child(name))
            }
            guard let vault = box.vault else {
                throw StorageError(.invalidArgument, "the box was opened without a vault")
            }
            let path = scopePath + BoxLocation.owner(user) + [EntryKey(name)]
            let generation = scope == .restricted ? box.generation : nil
            return .secrets(BoxSecrets(vault: vault, path: path, generation: generation))
        }

        /// Returns the value of a key; `nil` if it is missing. A restricted value of another installation reads as
        /// missing.
        ///
        /// - Throws: `.noCurrentUser`; `.invalidArgument` if the scope needs a vault and there is none; the errors of
        ///   `Namespace.value(forKey:as:)`.
        public func value<T: Codable>(forKey key: String, as type: T.Type = T.self) throws(StorageError) -> T? {
            switch try location.get() {
            case .namespace(let namespace): return try namespace.value(forKey: key, as: T.self)
            case .secrets(let secrets):
                guard let envelope = try secrets.envelope(forKey: key) else { return nil }
                return try unsafe EncodedValue.decode(T.self, envelope.span.bytes)
            }
        }

        /// Sets a key; `nil` removes it. Throws the errors of `Namespace.set(_:forKey:as:options:durability:)` and of
        /// reading.
        public func set<T: Codable>(_ value: T?, forKey key: String) throws(StorageError) {
            guard let value else { return try remove(key) }
            switch try location.get() {
            case .namespace(let namespace): try namespace.set(value, forKey: key)
            case .secrets(let secrets): try secrets.store(try EncodedValue.envelope(of: value), forKey: key)
            }
        }

        /// Removes a key, whether or not it exists.
        public func remove(_ key: String) throws(StorageError) {
            switch try location.get() {
            case .namespace(let namespace): try namespace.remove(key)
            case .secrets(let secrets): try secrets.remove(key)
            }
        }

        /// Removes all keys of the compartment.
        public func removeAll() throws(StorageError) {
            switch try location.get() {
            case .namespace(let namespace): try namespace.truncate()
            case .secrets(let secrets): try secrets.vault.removeAll(below: secrets.path)
            }
        }
    }

    /// Typed keys.
    extension Compartment: StoredPlace {
        /// Returns the value of a typed key; its default if the key is missing. Throws the errors of
        /// ``value(forKey:as:)``. An error never turns into the default.
        public func value<Value>(for key: Key<Value>) throws(StorageError) -> Value {
            switch try location.get() {
            case .namespace(let namespace): return try namespace.value(for: key)
            case .secrets(let secrets):
                guard let envelope = try secrets.envelope(forKey: key.name) else { return key.defaultValue }
                return try unsafe key.decoded(envelope.span.bytes)
            }
        }

        /// Stores the value of a typed key; `nil` removes it.
        ///
        /// - Throws: `.invalidArgument` if the key has options and the scope is not `.standard`: values in a vault
        ///   neither expire nor are purged. Also the errors of ``set(_:forKey:)``.
        public func set<Value>(_ value: Value, for key: Key<Value>) throws(StorageError) {
            switch try location.get() {
            case .namespace(let namespace): try namespace.set(value, for: key)
            case .secrets(let secrets):
                guard key.options == [] else {
                    throw StorageError(.invalidArgument, "values in a vault have no options")
                }
                guard let envelope = try key.envelope(of: value) else { return try secrets.remove(key.name) }
                try secrets.store(envelope, forKey: key.name)
            }
        }

        /// Removes a typed key, whether or not it exists. It then reads as its default.
        public func remove<Value>(_ key: Key<Value>) throws(StorageError) { try remove(key.name) }

        public func storedValue<Value>(for key: Key<Value>) throws(StorageError) -> Value { try value(for: key) }

        public func store<Value>(_ value: Value, for key: Key<Value>) throws(StorageError) {
            try set(value, for: key)
        }

        public func removeStored<Value>(_ key: Key<Value>) throws(StorageError) { try remove(key.name) }

        public func record(_ error: StorageError, _ access: Store.Health.Access, ofKey key: String) {
            box.failureLog.record(error, key, scope, isWrite: access == .write)
        }
    }
#endif
