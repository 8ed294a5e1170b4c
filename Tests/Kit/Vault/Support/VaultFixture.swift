#if Encryption
    import Foundation
    import Testing

    @testable import ShaleEncryption

    /// A folder with a key file, in which vaults are made, or a part of the session's keyring. It is removed with the
    /// fixture.
    final class VaultFixture {
        let folder = FileManager.default.temporaryDirectory.path + "/shale-vault-\(UUID().uuidString)"
        var directory: String { folder + "/secrets/vault" }
        var keys: KeySource { .file(folder + "/key") }
        private let kind: VaultKind

        init(_ kind: VaultKind = .store) throws {
            self.kind = kind
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try KeySource.makeKeyFile(at: folder + "/key")
        }

        deinit {
            do {
                try FileManager.default.removeItem(atPath: folder)
                if kind == .secretService {
                    try withVault { _ = try $0.backend.removeSecrets(below: [], keeping: nil) }
                }
            } catch {
                Issue.record("could not remove \(folder): \(error)")
            }
        }

        func open() throws(StorageError) -> Vault {
            switch kind {
            case .store: return try Vault(at: directory, keys: keys)
            case .secretService:
                #if os(Linux)
                    let keyring = try Vault.secretService(timeLimit: .seconds(60))
                    return Vault(backend: PartBackend(of: keyring.backend, root: EntryKey(folder)))
                #else
                    throw StorageError(.unavailable, "there is no Secret Service here")
                #endif
            }
        }

        /// Opens the vault for `body` and closes it.
        func withVault<R>(_ body: (Vault) throws -> R) throws -> R {
            let vault = try open()
            let result = try body(vault)
            try vault.close()
            return result
        }

        /// Returns the bytes of all files of the vault.
        func allBytes() throws -> Data {
            var bytes = Data()
            for name in try FileManager.default.subpathsOfDirectory(atPath: directory) {
                if let content = FileManager.default.contents(atPath: directory + "/" + name) { bytes += content }
            }
            return bytes
        }
    }

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

        func sync() throws(StorageError) { try whole.sync() }
        func close() throws(StorageError) { try whole.close() }
    }
#endif
