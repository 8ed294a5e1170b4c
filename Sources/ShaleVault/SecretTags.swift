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
            var parts: [UInt8] = [1]
            var prefix: [UInt8] = []
            for component in path {
                SecretTags.append(component, to: &parts)
                prefix += tag(parts)
            }
            return prefix
        }

        func key(of address: SecretAddress) -> [UInt8] {
            var parts: [UInt8] = [2]
            for component in address.path + [address.name] { SecretTags.append(component, to: &parts) }
            return prefix(address.path) + tag(parts)
        }

        private func tag(_ parts: [UInt8]) -> ArraySlice<UInt8> {
            Array(HMAC<SHA256>.authenticationCode(for: parts, using: key)).prefix(Self.tagBytes)
        }

        private static func append(_ component: EntryKey, to parts: inout [UInt8]) {
            let count = UInt32(component.bytes.count)
            parts += [UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8)]
            parts += [UInt8(truncatingIfNeeded: count >> 16), UInt8(truncatingIfNeeded: count >> 24)]
            parts += component.bytes
        }
    }
#endif
