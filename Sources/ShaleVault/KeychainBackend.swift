#if Encryption && canImport(Security)
    import Foundation
    import Security
    import ShaleBase

    extension Vault {
        /// The vault in the system's Keychain: generic passwords, readable after the first unlock, on this device only.
        /// `accessGroup`: shares it with the other applications of the group; `nil` for the application's own.
        public static func keychain(accessGroup: String? = nil) -> Vault {
            Vault(backend: KeychainBackend(accessGroup: accessGroup))
        }
    }

    /// Secrets as generic passwords: the path is the service, the name the account, both as ``PlainText``. Changes are durable when
    /// the Keychain returns.
    final class KeychainBackend: VaultBackend {
        private let accessGroup: String?

        init(accessGroup: String?) { self.accessGroup = accessGroup }

        // MARK: Names

        private func query(_ address: SecretAddress? = nil) -> [CFString: Any] {
            var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword]
            if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
            if let address {
                query[kSecAttrService] = PlainText.text(address.path)
                query[kSecAttrAccount] = PlainText.text(address.name)
            }
            return query
        }

        private static func failure(_ status: OSStatus) -> StorageError {
            let code: StorageError.Code = status == errSecInteractionNotAllowed ? .locked : .ioFailure
            return StorageError(code, "the Keychain refused status=\(status)")
        }

        // MARK: Secrets

        func secret(at address: SecretAddress) throws(StorageError) -> [UInt8]? {
            var query = query(address)
            query[kSecReturnData] = true
            var found: CFTypeRef?
            let status = unsafe SecItemCopyMatching(query as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = found as? Data else { throw Self.failure(status) }
            return Array(data)
        }

        func store(
            _ secret: [UInt8], at address: SecretAddress, replacing: Bool
        ) throws(StorageError) -> SecretOutcome {
            while true {
                var item = query(address)
                item[kSecValueData] = Data(secret)
                item[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
                let added = unsafe SecItemAdd(item as CFDictionary, nil)
                if added == errSecSuccess { return .stored }
                guard added == errSecDuplicateItem else { throw Self.failure(added) }
                // Gone again meanwhile: then it is added after all.
                guard let present = try self.secret(at: address) else { continue }
                if present == secret { return .unchanged }
                if !replacing { return .kept }
                let change: [CFString: Any] = [kSecValueData: Data(secret)]
                let status = SecItemUpdate(query(address) as CFDictionary, change as CFDictionary)
                if status == errSecSuccess { return .stored }
                guard status == errSecItemNotFound else { throw Self.failure(status) }
            }
        }

        func removeSecret(at address: SecretAddress) throws(StorageError) -> Bool {
            let status = SecItemDelete(query(address) as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw Self.failure(status) }
            return status == errSecSuccess
        }

        // MARK: Paths

        private func all() throws(StorageError) -> [SecretAddress] {
            var query = query()
            query[kSecReturnAttributes] = true
            query[kSecMatchLimit] = kSecMatchLimitAll
            var found: CFTypeRef?
            let status = unsafe SecItemCopyMatching(query as CFDictionary, &found)
            if status == errSecItemNotFound { return [] }
            guard status == errSecSuccess, let items = found as? [[CFString: Any]] else { throw Self.failure(status) }
            // What others have put there is none of ours.
            return items.compactMap { item in
                guard let service = item[kSecAttrService] as? String, let path = PlainText.path(service),
                    let account = item[kSecAttrAccount] as? String, let name = PlainText.part(account)
                else { return nil }
                return SecretAddress(path, name)
            }
        }

        func addresses(at path: [EntryKey]) throws(StorageError) -> [SecretAddress] {
            try all().filter { $0.path == path }.sorted { $0.name < $1.name }
        }

        func removeSecrets(below path: [EntryKey], keeping kept: EntryKey?) throws(StorageError) -> Int {
            var count = 0
            for address in try all() where address.path.starts(with: path) {
                if let kept, address.path.count > path.count, address.path[path.count] == kept { continue }
                if try removeSecret(at: address) { count += 1 }
            }
            return count
        }

        // MARK: The whole

        func synchronize() throws(StorageError) {}
        func close() throws(StorageError) {}
    }
#endif
