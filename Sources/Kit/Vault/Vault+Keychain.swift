#if Encryption && canImport(Security)
    extension Vault {
        /// Returns a vault in the system's Keychain: generic passwords that stay on this device and can be read after
        /// its first unlock.
        ///
        /// On macOS it is the data protection Keychain. The secrets survive removal of the application.
        ///
        /// ```swift
        /// let vault = Vault.keychain()
        /// try vault.store("correct horse", account: "ada", service: "imap.example.org")
        /// ```
        /// A write is as durable as the system makes it before it returns. Storing a secret where there is none is
        /// atomic for threads and processes. If two replace a secret at the same moment, both receive `.stored` and
        /// one secret stays. Removing below a path examines all items.
        ///
        /// This call accesses nothing. Later calls throw `.locked` before the first unlock of the device, and
        /// `.unavailable` for a program without the entitlement. A command-line program on macOS has no entitlement
        /// unless it is signed with one; ``init(at:keys:creating:)`` needs none. Other errors are `.ioFailure` with the
        /// system's number.
        ///
        /// - Parameter accessGroup: The group of applications that share the secrets. With `nil` secrets are written to
        ///   the application's own group, and looked up in all of its groups.
        public static func keychain(accessGroup: String? = nil) -> Vault {
            Vault(backend: KeychainBackend(accessGroup: accessGroup))
        }
    }
#endif
