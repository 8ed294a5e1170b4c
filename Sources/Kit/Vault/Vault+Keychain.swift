#if Encryption && canImport(Security)
    extension Vault {
        /// The vault in the system's Keychain, on macOS too the one for data protection: generic passwords that can be read once the
        /// device was unlocked for the first time, and that stay on this device. They outlast the application's removal.
        ///
        /// ```swift
        /// let vault = Vault.keychain()
        /// try vault.store("correct horse", account: "ada", service: "imap.example.org")
        /// ```
        /// `accessGroup`: the group of applications that share them. With `nil` they are written to the application's own group, and
        /// looked for in all groups that it belongs to.
        ///
        /// A write is as durable as the system makes it before it returns. Storing is one step for threads and processes where
        /// nothing was stored; of two that replace a secret at the same moment both are told `.stored`, and one secret stays.
        /// Removing below a path looks at all items.
        ///
        /// Nothing is looked at now. Errors of every call: `.locked` before the device was unlocked; `.unavailable` for a program without
        /// the entitlement, as one from the command line of macOS is unless it is signed with one (``init(at:keys:creating:)`` needs
        /// none); `.ioFailure` with the system's number for the rest.
        public static func keychain(accessGroup: String? = nil) -> Vault {
            Vault(backend: KeychainBackend(accessGroup: accessGroup))
        }
    }
#endif
