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
#endif
