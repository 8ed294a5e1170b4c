#if Encryption
    import Foundation
    import ShaleEncryption
    import TestSupport
    import Testing

    /// Errors about keys tell the user how to correct them, and nothing invalid is accepted as a key.
    @Suite struct VaultKeyTests {
        private func failure(_ fixture: VaultFixture, _ keys: KeySource) -> StorageError? {
            do throws(StorageError) {
                try Vault(at: fixture.directory, keys: keys).close()
                return nil
            } catch {
                return error
            }
        }

        @Test func aKeyFileThatOthersMayReadIsRefused() throws {
            let fixture = try VaultFixture()
            let path = fixture.folder + "/key"
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            let found = try #require(failure(fixture, .file(path)))
            #expect(found.code == .missingKey && found.file == path && found.message.contains("mode 0600"))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            #expect(failure(fixture, .file(path)) == nil, "once it is closed to them, the same directory opens")
        }

        @Test func aMissingKeyFileIsNoOther() throws {
            let fixture = try VaultFixture()
            let found = try #require(failure(fixture, .file(fixture.folder + "/none")))
            #expect(found.code == .missingKey && found.message == "the key file does not exist")
        }

        @Test func aKeyFileIsNeverReplaced() throws {
            let fixture = try VaultFixture()
            let path = fixture.folder + "/key"
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(code { () throws(StorageError) in try KeySource.makeKeyFile(at: path) } == .invalidArgument)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
            let nowhere = fixture.folder + "/none/key"
            #expect(code { () throws(StorageError) in try KeySource.makeKeyFile(at: nowhere) } == .missing)
        }

        @Test func anEmptyPassphraseIsNone() throws {
            #expect(failure(try VaultFixture(), .passphrase(""))?.code == .missingKey)
        }
    }

    /// A vault without read permission is `.locked`, never empty and never missing, on a real file system.
    @Suite(.enabled(if: Unprivileged.isPossible, "root on this system may read everything"))
    struct VaultPermissionTests {
        private static func password(_ path: String, _ keys: KeySource) throws(StorageError) -> String? {
            let vault = try Vault(at: path, keys: keys)
            do throws(StorageError) {
                let password = try vault.password(account: "ada", service: "s")
                try vault.close()
                return password
            } catch {
                try vault.close()
                throw error
            }
        }

        @Test func anUnreadableVaultIsLocked() throws {
            try Unprivileged.runInFolder { (folder) throws in
                let path = folder + "/vault"
                let keys = KeySource.key(try SecretKey())
                let vault = try Vault(at: path, keys: keys)
                try vault.store("secret", account: "ada", service: "s")
                try vault.close()
                var lockedCount = 0
                let names = try FileManager.default.subpathsOfDirectory(atPath: path).map { "/" + $0 }
                for place in [folder, path] + names.map({ path + $0 }) {
                    // An earlier opening has replaced some files.
                    guard FileManager.default.fileExists(atPath: place) else { continue }
                    try Unprivileged.withoutPermissions(for: place) {
                        var password: String? = "secret"
                        let failure = code { () throws(StorageError) in password = try Self.password(path, keys) }
                        #expect(password == "secret", "the vault seems empty")
                        #expect(failure == nil || failure == .locked, "\(place)")
                        if failure == .locked { lockedCount += 1 }
                    }
                }
                #expect(lockedCount >= 7, "directories, CURRENT, manifest, lock, a segment")
                #expect(try Self.password(path, keys) == "secret", "nothing was changed")
            }
        }
    }
#endif
