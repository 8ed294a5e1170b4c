#if Encryption
    import Foundation
    import ShaleVault
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
#endif
