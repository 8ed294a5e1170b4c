#if Encryption
    package import ShaleBase

    /// The address of a secret: a name below a path. Parts are any bytes, compared as bytes, and always stay separate.
    ///
    /// ```swift
    /// let address = SecretAddress(["com.example.mail", "accounts"], "ada")
    /// ```
    public struct SecretAddress: Hashable, Sendable {
        /// The path, from the top. Applications that share a vault begin it with their own name.
        public let path: [EntryKey]
        /// The name of the secret directly below the path.
        public let name: EntryKey

        /// Makes the address of a secret, without accessing it.
        public init(_ path: [EntryKey], _ name: EntryKey) {
            self.path = path
            self.name = name
        }
    }

    extension ByteBuffer {
        /// Appends a part of an address after its length (u32), so that two sequences of parts never give the same
        /// bytes.
        package mutating func append(part: EntryKey) {
            append(UInt32(part.bytes.count))
            append(part.bytes)
        }
    }
#endif
