#if Encryption
    import ShaleBase

    /// Where the values of a compartment are. Paths in the vault, never to be changed: `box` | application | `vault`, or
    /// `restricted` | generation id | then `shared`, or `user` | id | then the compartment's name.
    enum BoxPlace: Sendable {
        case namespace(Namespace)
        case vault(Vault, [EntryKey])
        case sealed(Vault, [EntryKey], InstallGeneration)

        /// What all values of a scope are below, in the vault; `nil` when they are not there.
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

        /// Whatever was sealed to another installation goes, whoever it belonged to: both kinds lie below one path, so there is
        /// no order in which one of them could be forgotten.
        static func eraseOthers(
            than generation: InstallGeneration, of application: String, in vault: Vault
        ) throws(StorageError) {
            if PlantedBug.isActive(.keepOldGenerations) { return }
            _ = try vault.backend.removeSecrets(
                below: restricted(application), keeping: EntryKey(generation.id))
        }
    }
#endif
