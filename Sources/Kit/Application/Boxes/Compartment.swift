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
            return scope == .restricted ? .sealed(vault, path, box.generation) : .vault(vault, path)
        }

        /// Returns the value of a key; `nil` if it is missing. A restricted value of another installation reads as
        /// missing.
        ///
        /// - Throws: `.noCurrentUser`; `.invalidArgument` if the scope needs a vault and there is none; the errors of
        ///   `Namespace.value(forKey:as:)`.
        public func value<T: Codable>(forKey key: String, as type: T.Type = T.self) throws(StorageError) -> T? {
            switch try location.get() {
            case .namespace(let namespace): return try namespace.value(forKey: key, as: T.self)
            case .vault(let vault, let path): return try vault.value(at: SecretAddress(path, EntryKey(key)), as: T.self)
            case .sealed(let vault, let path, let generation):
                let address = SecretAddress(path, EntryKey(key))
                guard let sealed = try vault.backend.secret(at: address) else { return nil }
                let plain = try GenerationSeal(generation).opened(sealed, at: address)
                return try unsafe EncodedValue.decode(T.self, plain.span.bytes)
            }
        }

        /// Sets a key; `nil` removes it. Throws the errors of `Namespace.set(_:forKey:as:options:durability:)` and of
        /// reading.
        public func set<T: Codable>(_ value: T?, forKey key: String) throws(StorageError) {
            guard let value else { return try remove(key) }
            switch try location.get() {
            case .namespace(let namespace): try namespace.set(value, forKey: key)
            case .vault(let vault, let path): try vault.set(value, at: SecretAddress(path, EntryKey(key)))
            case .sealed(let vault, let path, let generation):
                let address = SecretAddress(path, EntryKey(key))
                let sealed = try GenerationSeal(generation).sealed(try EncodedValue.envelope(of: value), at: address)
                _ = try vault.backend.store(sealed, at: address, replacing: true)
            }
        }

        /// Removes a key, whether or not it exists.
        public func remove(_ key: String) throws(StorageError) {
            switch try location.get() {
            case .namespace(let namespace): try namespace.remove(key)
            case .vault(let vault, let path), .sealed(let vault, let path, _):
                try vault.remove(at: SecretAddress(path, EntryKey(key)))
            }
        }

        /// Removes all keys of the compartment.
        public func removeAll() throws(StorageError) {
            switch try location.get() {
            case .namespace(let namespace): try namespace.truncate()
            case .vault(let vault, let path), .sealed(let vault, let path, _): try vault.removeAll(below: path)
            }
        }
    }

    /// The location of a compartment's values. Paths in the vault, do not change: `box` | application | `vault`, or
    /// `restricted` | generation id | then `shared`, or `user` | id | then the compartment's name.
    enum BoxLocation: Sendable {
        case namespace(Store.Namespace)
        case vault(Vault, [EntryKey])
        case sealed(Vault, [EntryKey], InstallGeneration)

        /// Returns the path in the vault of all values of a scope; `nil` if they are not in the vault.
        static func path(_ scope: BoxScope, of box: DataBox) -> [EntryKey]? {
            switch scope {
            case .standard: nil
            case .vault: ["box", EntryKey(box.application), "vault"]
            case .restricted: restricted(box.application) + [EntryKey(box.generation.id)]
            }
        }

        private static func restricted(_ application: String) -> [EntryKey] {
            ["box", EntryKey(application), "restricted"]
        }

        static func owner(_ user: String?) -> [EntryKey] { user.map { ["user", EntryKey($0)] } ?? ["shared"] }

        /// Removes the values that were sealed to other installations, shared ones and those of all users. Both kinds
        /// are below one path, so one removal covers them.
        static func eraseOthers(
            than generation: InstallGeneration, of application: String, in vault: Vault
        ) throws(StorageError) {
            if PlantedBug.isActive(.keepOldGenerations) { return }
            _ = try vault.backend.removeSecrets(
                below: restricted(application), keeping: EntryKey(generation.id))
        }
    }
#endif
