#if Encryption
    import Foundation
    import ShaleBase

    /// Keeps secrets in an encrypted store of their own. Keys of entries are pseudonyms: see ``SecretTags``.
    final class StoreBackend: VaultBackend {
        private static let tagKey = "tag key"

        private let store: Store
        private let secrets: Namespace
        private let tags: SecretTags

        /// Takes ownership of the store, which must have been opened with encryption.
        init(_ store: Store) throws(StorageError) {
            self.store = store
            secrets = store.common["secrets"]
            tags = try SecretTags(StoreBackend.tagKey(store.common["vault"]))
        }

        /// Returns the key of the pseudonyms. It is created with the vault and never changes.
        private static func tagKey(_ namespace: Namespace) throws(StorageError) -> SecretKey {
            while true {
                if let known = try namespace.data(forKey: tagKey) {
                    var bits = Array(known)
                    return try SecretKey(wiping: &bits)
                }
                let fresh = try SecretKey().withBytes { (bits) in unsafe bits.withUnsafeBytes { unsafe Data($0) } }
                // Another thread may store a key first; the stored key is the one that counts.
                _ = try namespace.compareAndSet(
                    fresh, forKey: tagKey, expecting: nil, .encrypted, durability: .synced)
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
                try transaction.set(record, forKey: key, in: secrets, .encrypted)
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
            for entry in secrets.entries(prefix: prefix) {
                let entry = try entry.get()
                guard entry.key.bytes.count == prefix.count + SecretTags.tagBytes else { continue }
                addresses.append(try SecretRecord.parse(try entry.value(as: [UInt8].self)).address)
            }
            return addresses.sorted { $0.name < $1.name }
        }

        func removeSecrets(below path: [EntryKey], keeping kept: EntryKey?) throws(StorageError) -> Int {
            let all = KeyRange.prefix(tags.prefix(path))
            guard let kept else { return try secrets.removeAll(in: all, durability: .synced) }
            // The kept secrets are one range of keys; the ranges before and after it are removed.
            let stretch = KeyRange.prefix(tags.prefix(path + [kept]))
            var count = 0
            if case .included(let start) = stretch.lower {
                count += try secrets.removeAll(
                    in: KeyRange(lower: all.lower, upper: .excluded(start)), durability: .synced)
            }
            if PlantedBug.isActive(.wipeOneSide) { return count }
            if case .excluded(let end) = stretch.upper {
                count += try secrets.removeAll(
                    in: KeyRange(lower: .included(end), upper: all.upper), durability: .synced)
            }
            return count
        }

        // MARK: The whole

        func synchronize() throws(StorageError) { try store.sync() }
        func close() throws(StorageError) { try store.close() }
        func changeMasterKey(to keys: any KeyProvider) throws(StorageError) { try store.changeMasterKey(to: keys) }
    }
#endif
