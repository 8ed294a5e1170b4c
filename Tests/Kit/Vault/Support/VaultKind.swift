#if Encryption
    import Testing

    @testable import ShaleVault

    /// The back ends that must behave alike. No test here reaches the Keychain, which implements the same protocol.
    enum VaultKind: String, CaseIterable, CustomTestStringConvertible {
        case store, secretService

        /// The back ends that can be tested now.
        static var here: [VaultKind] { Keyring.isUnlocked ? allCases : [.store] }

        var testDescription: String { rawValue }
    }

    /// A back end below one path of another back end, so that concurrent tests share a keyring.
    final class PartBackend: VaultBackend {
        private let whole: any VaultBackend
        private let root: [EntryKey]

        init(of whole: any VaultBackend, root: EntryKey) {
            self.whole = whole
            self.root = [root]
        }

        private func outer(_ address: SecretAddress) -> SecretAddress {
            SecretAddress(root + address.path, address.name)
        }

        func secret(at address: SecretAddress) throws(StorageError) -> [UInt8]? {
            try whole.secret(at: outer(address))
        }

        func store(
            _ secret: [UInt8], at address: SecretAddress, replacing: Bool
        ) throws(StorageError) -> SecretOutcome {
            try whole.store(secret, at: outer(address), replacing: replacing)
        }

        func removeSecret(at address: SecretAddress) throws(StorageError) -> Bool {
            try whole.removeSecret(at: outer(address))
        }

        func addresses(at path: [EntryKey]) throws(StorageError) -> [SecretAddress] {
            try whole.addresses(at: root + path).map { SecretAddress(Array($0.path.dropFirst()), $0.name) }
        }

        func removeSecrets(below path: [EntryKey], keeping kept: EntryKey?) throws(StorageError) -> Int {
            try whole.removeSecrets(below: root + path, keeping: kept)
        }

        func synchronize() throws(StorageError) { try whole.synchronize() }
        func close() throws(StorageError) { try whole.close() }
    }
#endif
