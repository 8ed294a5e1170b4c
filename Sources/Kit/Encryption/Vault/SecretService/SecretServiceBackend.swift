#if Encryption && os(Linux)
    extension Vault {
        /// Returns a vault in the keyring of the user's session, through the Secret Service (GNOME Keyring, KWallet,
        /// KeePassXC).
        ///
        /// This call loads libsecret, which no other function needs.
        ///
        /// ```swift
        /// let vault = try Vault.secretService()
        /// try vault.store("correct horse", account: "ada", service: "imap.example.org")
        /// ```
        /// The log-in of the session is the key. While the keyring is unlocked, every program of the session can read
        /// the secrets. Addresses (services, accounts, names) can always be read. If that is not acceptable, use
        /// ``init(at:keys:creating:)``.
        ///
        /// A write is as durable as the service makes it before it answers. Calls of one process run one at a time, so
        /// each is atomic for its threads. Between processes storing is two steps: if two store at the same moment,
        /// both receive `.stored` and one secret stays. A secret has at most 1 MiB. Removing below a path that has one
        /// part examines all items.
        ///
        /// - Parameters:
        ///   - keyring: The alias of a keyring: `default`, or `session`, which ends with the session.
        ///   - timeLimit: The maximum duration of a call, or of one of many removals. It includes questions that a
        ///     service asks its user by itself, so allow about a minute if a user is present. This library never causes
        ///     a question: a locked keyring is an error.
        /// - Throws: Also in every later call: `.unavailable` if the library, the bus or the service is missing, or
        ///   does not answer in time; `.missing` if there is no such keyring; `.locked` while it is locked.
        public static func secretService(
            keyring: String = "default", timeLimit: Duration = .seconds(10)
        ) throws(StorageError) -> Vault {
            Vault(backend: try SecretServiceBackend(keyring: keyring, timeLimit: timeLimit))
        }
    }

    /// Keeps secrets as items of a keyring behind the Secret Service. An item's attributes are its address as
    /// ``AddressText`` and stay readable while the keyring is locked. Its secret is the raw bytes.
    final class SecretServiceBackend: VaultBackend {
        /// The bus ends the connection if a message has many megabytes, and keyrings are kept in memory.
        static let secretBytesMax = 1 << 20
        static let addressBytesMax = 1 << 20
        private static let labelCharactersMax = 200

        private let connection: ServiceConnection
        private let keyring: String

        /// Opens the keyring. Throws `.unavailable` if the library, the bus or the service is missing; `.missing` or
        /// `.locked` for the keyring.
        init(keyring: String, timeLimit: Duration) throws(StorageError) {
            guard !keyring.isEmpty, !keyring.utf8.contains(0) else { throw .invalid("a keyring's name is not valid") }
            guard timeLimit > .zero else { throw .invalid("the time limit must be above 0") }
            connection = try ServiceConnection(try LibSecret.loaded.get(), limit: timeLimit)
            self.keyring = keyring
            try connection.call { (call) throws(StorageError) in _ = try call.keyring(keyring) }
        }

        // MARK: Names

        private static func attributes(_ address: SecretAddress) throws(StorageError) -> [String: String] {
            var attributes = attributes(address.path)
            attributes[ServiceCall.Attribute.name] = AddressText.text(address.name)
            guard attributes.values.reduce(0, { $0 + $1.utf8.count }) <= addressBytesMax else {
                throw .invalid("a secret's address is over the limit of \(addressBytesMax) bytes as text")
            }
            return attributes
        }

        private static func attributes(_ path: [EntryKey]) -> [String: String] {
            [
                ServiceCall.Attribute.root: AddressText.text(path.prefix(ServiceCall.Attribute.rootParts)),
                ServiceCall.Attribute.path: AddressText.text(path),
            ]
        }

        /// Returns the label that users see in a list of their keyring's items.
        private static func label(_ address: SecretAddress) -> String {
            String((AddressText.text(address.path) + " " + AddressText.text(address.name)).prefix(labelCharactersMax))
        }

        // MARK: Secrets

        func secret(at address: SecretAddress) throws(StorageError) -> [UInt8]? {
            let attributes = try Self.attributes(address)
            return try connection.call { (call) throws(StorageError) in
                guard let item = try call.items(in: try call.keyring(keyring), attributes).first else { return nil }
                return try call.secret(of: item)
            }
        }

        func store(
            _ secret: [UInt8], at address: SecretAddress, replacing: Bool
        ) throws(StorageError) -> SecretOutcome {
            let attributes = try Self.attributes(address)
            guard secret.count <= Self.secretBytesMax else {
                throw .invalid("a secret is \(secret.count) bytes, over the limit of \(Self.secretBytesMax)")
            }
            return try connection.call { (call) throws(StorageError) in
                let keyring = try call.keyring(self.keyring)
                if let item = try call.items(in: keyring, attributes).first {
                    if try call.secret(of: item) == secret { return .unchanged }
                    if !replacing { return .kept }
                }
                // Another process may do the same concurrently; the secret of the later one stays.
                try call.put(secret, attributes, label: Self.label(address), in: keyring)
                return .stored
            }
        }

        func removeSecret(at address: SecretAddress) throws(StorageError) -> Bool {
            let attributes = try Self.attributes(address)
            return try connection.call { (call) throws(StorageError) in
                let items = try call.items(in: try call.keyring(keyring), attributes)
                for item in items { try call.remove(item) }
                return !items.isEmpty
            }
        }

        // MARK: Paths

        func addresses(at path: [EntryKey]) throws(StorageError) -> [SecretAddress] {
            try connection.call { (call) throws(StorageError) in
                let items = try call.items(in: try call.keyring(keyring), Self.attributes(path))
                return items.compactMap { call.address(of: $0) }.sorted { $0.name < $1.name }
            }
        }

        func removeSecrets(below path: [EntryKey], keeping kept: EntryKey?) throws(StorageError) -> Int {
            // A shorter path has several roots below it.
            let isInOneRoot = path.count >= ServiceCall.Attribute.rootParts
            let root = isInOneRoot ? [ServiceCall.Attribute.root: AddressText.text(path.prefix(2))] : [:]
            return try connection.call { (call) throws(StorageError) in
                var count = 0
                for item in try call.items(in: try call.keyring(keyring), root) {
                    guard let address = call.address(of: item), address.path.starts(with: path) else { continue }
                    if let kept, address.path.count > path.count, address.path[path.count] == kept { continue }
                    try call.renewed().remove(item)
                    count += 1
                }
                return count
            }
        }

        // MARK: The whole

        /// The service has written everything that it has confirmed. This call checks that the service still exists.
        func sync() throws(StorageError) {
            try connection.call { (call) throws(StorageError) in _ = try call.keyring(keyring) }
        }

        func close() throws(StorageError) { connection.close() }
    }
#endif
