#if Encryption
    import Foundation
    import Testing

    @testable import ShaleVault

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
#endif
