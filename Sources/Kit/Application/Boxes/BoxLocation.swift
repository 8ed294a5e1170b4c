#if Encryption
    import ShaleBase

    /// The location of a compartment's values. Paths in the vault, do not change: `box` | application | `vault`, or
    /// `restricted` | generation id | then `shared`, or `user` | id | then the compartment's name.
    enum BoxLocation: Sendable {
        case namespace(Store.Namespace)
        case secrets(BoxSecrets)

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

    /// The values of a compartment in a vault.
    struct BoxSecrets: Sendable {
        let vault: Vault
        let path: [EntryKey]
        /// The installation that the values are sealed to; `nil` for values that outlast it.
        let generation: InstallGeneration?

        private func address(_ key: String) -> SecretAddress { SecretAddress(path, EntryKey(key)) }

        /// Returns the value of a key in its envelope; `nil` if it is missing.
        func envelope(forKey key: String) throws(StorageError) -> [UInt8]? {
            let address = address(key)
            guard let secret = try vault.backend.secret(at: address) else { return nil }
            guard let generation else { return secret }
            return try GenerationSeal(generation).opened(secret, at: address)
        }

        func store(_ envelope: [UInt8], forKey key: String) throws(StorageError) {
            let address = address(key)
            let secret = try generation.map { (generation) throws(StorageError) in
                try GenerationSeal(generation).sealed(envelope, at: address)
            }
            _ = try vault.backend.store(secret ?? envelope, at: address, replacing: true)
        }

        func remove(_ key: String) throws(StorageError) { try vault.remove(at: address(key)) }
    }
#endif
