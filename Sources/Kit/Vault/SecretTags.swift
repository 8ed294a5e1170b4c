#if Encryption
    import Crypto
    import ShaleBase

    /// Pseudonyms for addresses: the keys of the entries that hold secrets. Without the vault's key they reveal nothing
    /// of the names.
    ///
    /// On disk, do not change: a tag is the first 16 bytes of HMAC-SHA256 over kind u8 (1 path, 2 address) and, for
    /// each part, length u32 | bytes. The key of a secret is the tags of all prefixes of its path, the shortest first,
    /// then the tag of the address. All secrets below a path therefore share a prefix, and no others have it.
    struct SecretTags: Sendable {
        static let tagBytes = 16

        private let key: SymmetricKey

        init(_ secret: SecretKey) throws(StorageError) {
            key = try secret.withBytes { (bytes) in unsafe bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) } }
        }

        /// Returns the prefix of the keys of all secrets at and below `path`.
        func prefix(_ path: [EntryKey]) -> [UInt8] {
            var parts = ByteBuffer()
            parts.append(1 as UInt8)
            var prefix: [UInt8] = []
            for part in path {
                parts.append(part: part)
                prefix += tag(parts.bytes)
            }
            return prefix
        }

        func key(of address: SecretAddress) -> [UInt8] {
            var parts = ByteBuffer()
            parts.append(2 as UInt8)
            for part in address.path + [address.name] { parts.append(part: part) }
            return prefix(address.path) + tag(parts.bytes)
        }

        private func tag(_ parts: Bytes) -> ArraySlice<UInt8> {
            Array(HMAC<SHA256>.authenticationCode(for: parts.array(), using: key)).prefix(Self.tagBytes)
        }
    }
#endif
