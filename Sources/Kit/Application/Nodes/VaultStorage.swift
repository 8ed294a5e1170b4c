#if Encryption
    /// A ``CodableStorage`` in a vault: values and names are encrypted. Each write is durable when it returns.
    public struct VaultStorage: CodableStorage {
        private let vault: Vault
        /// On disk, do not change: `node` | service | for each name `nodes` and the name | `keys`; the key is the name.
        private let location: [EntryKey]
        public let path: [String]

        /// Makes the tree `service` in a vault. Services share nothing.
        public init(_ vault: Vault, service: String) { self.init(vault, ["node", EntryKey(service)], []) }

        private init(_ vault: Vault, _ location: [EntryKey], _ path: [String]) {
            self.vault = vault
            self.location = location
            self.path = path
        }

        private func checkedPlace() throws(StorageError) -> [EntryKey] {
            for name in path { try NodeLimits.check(name) }
            return location
        }

        private func keysPlace() throws(StorageError) -> [EntryKey] { try checkedPlace() + ["keys"] }

        private func address(_ key: String) throws(StorageError) -> SecretAddress {
            try NodeLimits.check(key)
            return SecretAddress(try keysPlace(), EntryKey(key))
        }

        public func set<T: Codable>(_ value: T?, forKey key: String) throws(StorageError) {
            try vault.set(value, at: try address(key))
        }

        public func value<T: Codable>(forKey key: String, as type: T.Type) throws(StorageError) -> T? {
            try vault.value(at: try address(key), as: T.self)
        }

        public func contains(_ key: String) throws(StorageError) -> Bool {
            try vault.backend.secret(at: try address(key)) != nil
        }

        public func keys() throws(StorageError) -> [String] {
            try vault.backend.addresses(at: try keysPlace()).compactMap(\.name.string)
        }

        public func truncate() throws(StorageError) { try vault.removeAll(below: try keysPlace()) }

        public func truncateSubtree() throws(StorageError) { try vault.removeAll(below: try checkedPlace()) }

        public func child(_ name: String) -> VaultStorage {
            VaultStorage(vault, location + ["nodes", EntryKey(name)], path + [name])
        }

        public func sync() throws(StorageError) { try vault.sync() }
    }
#endif
