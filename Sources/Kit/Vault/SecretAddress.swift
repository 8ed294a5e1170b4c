#if Encryption
    package import ShaleBase

    /// Where a secret is: a name below a path. Any bytes, compared as they are; parts never run into each other.
    ///
    /// ```swift
    /// let address = SecretAddress(["com.example.mail", "accounts"], "ada")
    /// ```
    public struct SecretAddress: Hashable, Sendable {
        /// What the name is below, from the top. Applications that share a vault begin it with their own name.
        public let path: [EntryKey]
        /// Which of those right at the path.
        public let name: EntryKey

        /// The address of a secret. Nothing is looked at.
        public init(_ path: [EntryKey], _ name: EntryKey) {
            self.path = path
            self.name = name
        }
    }

    extension ByteBuffer {
        /// Appends a part of an address behind its length, u32: so that no two sequences of parts are the same bytes.
        package mutating func append(part: EntryKey) {
            append(UInt32(part.bytes.count))
            append(part.bytes)
        }
    }
#endif
