#if Encryption && os(Linux)
    extension Vault {
        /// The vault in the keyring of the user's session: the one behind the Secret Service (GNOME Keyring, KWallet, KeePassXC), by way of
        /// libsecret, which is loaded now and need not be there otherwise.
        ///
        /// ```swift
        /// let vault = try Vault.secretService()
        /// try vault.store("correct horse", account: "ada", service: "imap.example.org")
        /// ```
        /// The session's log-in is the key. Every program of the session can ask for what is in there while the keyring is
        /// unlocked, and can read addresses (services, accounts, names) always: where that is too much, use ``init(at:keys:creating:)``.
        ///
        /// `keyring`: the alias of one, `default` or `session` (which ends with the session). `timeLimit`: how long a call may take, or one of many removals; it covers
        /// questions that a service puts to its user on its own account, so give it a minute where somebody sits before the screen. This
        /// library itself never has anybody asked: a locked keyring is an error.
        ///
        /// A write is as durable as the service makes it before it answers. Calls of one process take turns, so each is one step for all its
        /// threads; between processes storing is two steps: of two that store at the same moment both are told `.stored`, and one secret
        /// stays. Secrets up to 1 MiB. Removing below a path that has one part looks at all items.
        ///
        /// Errors, here and of every call: `.unavailable` without the library, the bus or the service, and when it does not answer in time;
        /// `.missing` without such a keyring; `.locked` while it is locked.
        public static func secretService(
            keyring: String = "default", timeLimit: Duration = .seconds(10)
        ) throws(StorageError) -> Vault {
            Vault(backend: try SecretServiceBackend(keyring: keyring, timeLimit: timeLimit))
        }
    }
#endif
