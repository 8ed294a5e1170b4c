#if Encryption
    import Crypto
    import ShaleBase

    /// Pseudonyms for addresses: the keys under which a store keeps secrets, which tell nothing of the names to who has not
    /// the key of the vault.
    ///
    /// On disk, do not change: a tag is the first 16 bytes of HMAC-SHA256 over kind u8 (1 path, 2 address) and, for each part,
    /// length u32 | bytes. The key of a secret is the tags of all beginnings of its path, the shortest first, then the tag of the
    /// address. So what is below a path shares a prefix, and nothing else has it.
    struct SecretTags: Sendable {
        static let tagBytes = 16

        private let key: SymmetricKey

        init(_ secret: SecretKey) throws(StorageError) {
            key = try secret.withBytes { (bytes) in unsafe bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) } }
        }

        /// What the keys of all secrets at and below `path` begin with.
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
