#if Encryption
    /// Where a secret is: a name below a path. Any bytes, compared as they are; parts never run into each other.
    ///
    /// ```swift
    /// let address = SecretAddress(["com.example.mail", "accounts"], "ada")
    /// ```
    public struct SecretAddress: Hashable, Sendable {
        /// What the name is below, from the top. Applications that share a vault begin it with their own name.
        public let path: [EntryKey]
        public let name: EntryKey

        public init(_ path: [EntryKey], _ name: EntryKey) {
            self.path = path
            self.name = name
        }
    }
#endif
