#if Encryption && canImport(Security)
    import Foundation
    import Security

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

    /// Keeps secrets as generic passwords in the Keychain. Stored by the system, do not change: the service is
    /// `shale.Vault` and the path as ``AddressText``, the account is the name as a path of one part. Neither is ever
    /// empty, because some searches treat empty as "any".
    final class KeychainBackend: VaultBackend {
        /// Identifies our items among the application's other items.
        private static let servicePrefix = "shale.Vault"

        private let accessGroup: String?

        init(accessGroup: String?) { self.accessGroup = accessGroup }

        // MARK: Names

        /// Returns a query that finds all items of the group, including foreign ones.
        private func everything() -> [CFString: Any] {
            var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecUseDataProtectionKeychain: true]
            if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
            return query
        }

        private func items(at path: [EntryKey]) -> [CFString: Any] {
            var query = everything()
            query[kSecAttrService] = KeychainBackend.servicePrefix + AddressText.text(path)
            return query
        }

        private func item(at address: SecretAddress) -> [CFString: Any] {
            var query = items(at: address.path)
            query[kSecAttrAccount] = AddressText.text([address.name])
            return query
        }

        /// Returns the address of an item; `nil` if the item is not ours.
        private static func address(_ attributes: [String: Any]) -> SecretAddress? {
            guard let service = attributes[kSecAttrService as String] as? String, service.hasPrefix(servicePrefix),
                let path = AddressText.path(String(service.dropFirst(servicePrefix.count))),
                let account = attributes[kSecAttrAccount as String] as? String,
                let names = AddressText.path(account), let name = names.first, names.count == 1
            else { return nil }
            return SecretAddress(path, name)
        }

        private static func failure(_ status: OSStatus) -> StorageError {
            switch status {
            case errSecInteractionNotAllowed:
                StorageError(.locked, "the Keychain is locked until the device is unlocked")
            case errSecMissingEntitlement:
                StorageError(.unavailable, "the Keychain needs a program that is signed with the entitlement to use it")
            case errSecNotAvailable: StorageError(.unavailable, "there is no Keychain")
            default: StorageError(.ioFailure, "the Keychain reported an error status=\(status)")
            }
        }

        // MARK: Secrets

        func secret(at address: SecretAddress) throws(StorageError) -> [UInt8]? {
            var query = item(at: address)
            query[kSecReturnData] = true
            var found: CFTypeRef?
            let status = unsafe SecItemCopyMatching(query as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess else { throw Self.failure(status) }
            // An item without bytes has no data.
            guard let found else { return [] }
            guard let data = found as? Data else {
                throw StorageError(.corruption, "an item of the Keychain holds no data")
            }
            return Array(data)
        }

        func store(
            _ secret: [UInt8], at address: SecretAddress, replacing: Bool
        ) throws(StorageError) -> SecretOutcome {
            while true {
                var new = item(at: address)
                new[kSecValueData] = Data(secret)
                new[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
                let added = SecItemAdd(new as CFDictionary, nil)
                if added == errSecSuccess { return .stored }
                guard added == errSecDuplicateItem else { throw Self.failure(added) }
                // If the item has been removed meanwhile, it is added after all.
                guard let present = try self.secret(at: address) else { continue }
                if present == secret { return .unchanged }
                if !replacing { return .kept }
                let change: [CFString: Any] = [kSecValueData: Data(secret)]
                let status = SecItemUpdate(item(at: address) as CFDictionary, change as CFDictionary)
                if status == errSecSuccess { return .stored }
                guard status == errSecItemNotFound else { throw Self.failure(status) }
            }
        }

        func removeSecret(at address: SecretAddress) throws(StorageError) -> Bool {
            let status = SecItemDelete(item(at: address) as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw Self.failure(status) }
            return status == errSecSuccess
        }

        // MARK: Paths

        /// Returns the addresses of the items that a query finds, without foreign items.
        private func addresses(_ query: [CFString: Any]) throws(StorageError) -> [SecretAddress] {
            var query = query
            query[kSecReturnAttributes] = true
            query[kSecMatchLimit] = kSecMatchLimitAll
            var found: CFTypeRef?
            let status = unsafe SecItemCopyMatching(query as CFDictionary, &found)
            if status == errSecItemNotFound { return [] }
            guard status == errSecSuccess else { throw Self.failure(status) }
            guard let items = found as? [[String: Any]] else {
                throw StorageError(.corruption, "the Keychain returned no list of attributes")
            }
            return items.compactMap(Self.address)
        }

        func addresses(at path: [EntryKey]) throws(StorageError) -> [SecretAddress] {
            try addresses(items(at: path)).sorted { $0.name < $1.name }
        }

        func removeSecrets(below path: [EntryKey], keeping kept: EntryKey?) throws(StorageError) -> Int {
            var count = 0
            for address in try addresses(everything()) where address.path.starts(with: path) {
                if let kept, address.path.count > path.count, address.path[path.count] == kept { continue }
                if try removeSecret(at: address) { count += 1 }
            }
            return count
        }

        // MARK: The whole

        func sync() throws(StorageError) {}
        func close() throws(StorageError) {}
    }
#endif
