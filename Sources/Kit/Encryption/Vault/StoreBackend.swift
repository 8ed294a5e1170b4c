#if Encryption
    import Crypto
    import ShaleBase

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Keeps secrets in an encrypted store of their own. Keys of entries are pseudonyms: see ``SecretTags``.
    final class StoreBackend: VaultBackend {
        private static let tagKey = "tag key"

        private let store: Store
        private let secrets: Store.Namespace
        private let tags: SecretTags

        /// Takes ownership of the store, which must have been opened with encryption.
        init(_ store: Store) throws(StorageError) {
            self.store = store
            secrets = store.common["secrets"]
            tags = try SecretTags(StoreBackend.tagKey(store.common["vault"]))
        }

        /// Returns the key of the pseudonyms. It is created with the vault and never changes.
        private static func tagKey(_ namespace: Store.Namespace) throws(StorageError) -> SecretKey {
            while true {
                if let known = try namespace.data(forKey: tagKey) {
                    var bits = Array(known)
                    return try SecretKey(wiping: &bits)
                }
                let fresh = try SecretKey().withBytes { (bits) in unsafe bits.withUnsafeBytes { unsafe Data($0) } }
                // Another thread may store a key first; the stored key is the one that counts.
                _ = try namespace.compareAndSet(
                    fresh, forKey: tagKey, expecting: nil, options: .encrypted, durability: .synced)
            }
        }

        // MARK: Secrets

        func secret(at address: SecretAddress) throws(StorageError) -> [UInt8]? {
            guard let record = try secrets.value(forKey: tags.key(of: address), as: [UInt8].self) else { return nil }
            return try StoreBackend.secret(in: record, of: address)
        }

        private static func secret(in record: [UInt8], of address: SecretAddress) throws(StorageError) -> [UInt8] {
            let (found, secret) = try SecretRecord.parse(record)
            guard found == address else { throw .corruption("a secret is stored at the place of another") }
            return secret
        }

        func store(
            _ secret: [UInt8], at address: SecretAddress, replacing: Bool
        ) throws(StorageError) -> SecretOutcome {
            let key = tags.key(of: address)
            let record = SecretRecord.bytes(address, secret)
            let durability: Durability = PlantedBug.isActive(.bufferSecrets) ? .buffered : .synced
            return try store.transaction(attempts: .max, durability: durability) { (transaction) throws(StorageError) in
                if let old = try transaction.value(forKey: key, in: secrets, as: [UInt8].self) {
                    let present = try StoreBackend.secret(in: old, of: address)
                    if present == secret { return .unchanged }
                    if !replacing { return .kept }
                }
                try transaction.set(record, forKey: key, in: secrets, options: .encrypted)
                return .stored
            }
        }

        func removeSecret(at address: SecretAddress) throws(StorageError) -> Bool {
            let key = tags.key(of: address)
            return try store.transaction(attempts: .max, durability: .synced) { (transaction) throws(StorageError) in
                guard try transaction.contains(key, in: secrets) else { return false }
                try transaction.remove(key, in: secrets)
                return true
            }
        }

        // MARK: Paths

        func addresses(at path: [EntryKey]) throws(StorageError) -> [SecretAddress] {
            let prefix = tags.prefix(path)
            var addresses: [SecretAddress] = []
            let cursor = secrets.entries(prefix: prefix).cursor()
            while let entry = try cursor.next() {
                guard entry.key.bytes.count == prefix.count + SecretTags.tagBytes else { continue }
                addresses.append(try SecretRecord.parse(try entry.value(as: [UInt8].self)).address)
            }
            return addresses.sorted { $0.name < $1.name }
        }

        func removeSecrets(below path: [EntryKey], keeping kept: EntryKey?) throws(StorageError) -> Int {
            let all = KeyRange.prefix(tags.prefix(path))
            guard let kept else { return try secrets.removeAll(in: all, durability: .synced) }
            // The kept secrets are one range of keys; the ranges before and after it are removed.
            let keptRange = KeyRange.prefix(tags.prefix(path + [kept]))
            var count = 0
            if case .included(let start) = keptRange.lower {
                count += try secrets.removeAll(
                    in: KeyRange(lower: all.lower, upper: .excluded(start)), durability: .synced)
            }
            if PlantedBug.isActive(.wipeOneSide) { return count }
            if case .excluded(let end) = keptRange.upper {
                count += try secrets.removeAll(
                    in: KeyRange(lower: .included(end), upper: all.upper), durability: .synced)
            }
            return count
        }

        // MARK: The whole

        func sync() throws(StorageError) { try store.sync() }
        func close() throws(StorageError) { try store.close() }
        func changeMasterKey(to keys: any KeyProvider) throws(StorageError) { try store.changeMasterKey(to: keys) }
    }

    /// The stored form of a secret, which the store encrypts: its address, which the key does not reveal, and the
    /// secret. On disk, do not change: format u8 (1) | parts of the path u32 | for each of them and for the name:
    /// length u32 | bytes | secret.
    enum SecretRecord {
        private static let format: UInt8 = 1

        static func bytes(_ address: SecretAddress, _ secret: [UInt8]) -> [UInt8] {
            var buffer = ByteBuffer()
            buffer.append(format)
            buffer.append(UInt32(address.path.count))
            for part in address.path + [address.name] { buffer.append(part: part) }
            buffer.append(secret)
            defer {
                // Overwrites the buffer, so that no copy of the secret stays in memory.
                buffer.mutableBytes.zero(0, buffer.count)
            }
            return buffer.bytes.array()
        }

        static func parse(_ record: [UInt8]) throws(StorageError) -> (address: SecretAddress, secret: [UInt8]) {
            try unsafe record.span.bytes.withUnsafeBytes { (buffer) throws(StorageError) in
                guard unsafe buffer.first == format else {
                    throw StorageError(.newerFormat, "a secret has a format that this version does not know")
                }
                do throws(ParseFailure) {
                    return try parse(unsafe Bytes(buffer))
                } catch {
                    throw .corruption("a secret is not valid: \(error.reason)")
                }
            }
        }

        private static func parse(_ bytes: Bytes) throws(ParseFailure) -> (address: SecretAddress, secret: [UInt8]) {
            var reader = ByteReader(bytes, at: 1)
            let count = Int(try reader.u32("the path"))
            var parts: [EntryKey] = []
            // Adds the parts that exist: with a count that is too large, reading fails at the end of the bytes.
            for _ in 0..<count { parts.append(EntryKey(try reader.string32(limit: bytes.count, "a part"))) }
            let name = EntryKey(try reader.string32(limit: bytes.count, "the name"))
            return (SecretAddress(parts, name), try reader.slice(reader.remaining, "the secret").array())
        }
    }

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
