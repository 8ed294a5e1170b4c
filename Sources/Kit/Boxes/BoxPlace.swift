#if Encryption
    import ShaleBase

    /// The location of a compartment's values. Paths in the vault, do not change: `box` | application | `vault`, or
    /// `restricted` | generation id | then `shared`, or `user` | id | then the compartment's name.
    enum BoxPlace: Sendable {
        case namespace(Namespace)
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
