#if Encryption
    import Foundation
    import TestSupport
    import Testing

    @testable import ShaleEncryption

    /// The vault of Linux, an encrypted store of its own that only this user can access.
    @Suite struct VaultFileTests {
        private func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }

        @Test func directoriesAndFilesAreForNobodyElse() throws {
            let fixture = try VaultFixture()
            try fixture.withVault { _ = try $0.store("p", account: "a", service: "s") }
            #expect(try mode(fixture.folder + "/secrets") == 0o700)
            #expect(try mode(fixture.directory) == 0o700)
            for name in try FileManager.default.subpathsOfDirectory(atPath: fixture.directory) {
                let mode = try #require(try mode(fixture.directory + "/" + name))
                #expect(mode & 0o077 == 0, "\(name)")
            }
        }

        @Test func aDirectoryThatIsOpenToOthersIsRefused() throws {
            let fixture = try VaultFixture()
            try fixture.withVault { _ in }
            try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: fixture.directory)
            #expect(code { () throws(StorageError) in try fixture.open() } == .invalidArgument)
        }

        @Test func nothingIsMadeWithoutBeingAsked() throws {
            let fixture = try VaultFixture()
            let refused = code { () throws(StorageError) in
                try Vault(at: fixture.directory, keys: fixture.keys, creating: false)
            }
            #expect(refused == .missing)
            #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder) == ["key"])
            _ = try Vault.defaultDirectory(application: "com.example.\(UUID().uuidString)")
        }

        @Test func noFileHoldsASecretOrAName() throws {
            let fixture = try VaultFixture()
            try fixture.withVault { (vault) throws in
                try vault.store("correct-horse", account: "ada.lovelace", service: "imap.example.org")
                try vault.set(["token": "battery-staple"], at: SecretAddress(["com.example.mail"], "session"))
            }
            let bytes = try fixture.allBytes()
            for text in ["correct-horse", "ada.lovelace", "imap.example", "battery-staple", "com.example", "session"] {
                #expect(bytes.range(of: Data(text.utf8)) == nil, "\(text)")
            }
        }

        @Test func anotherKeyIsRefusedAndChangesNothing() throws {
            let fixture = try VaultFixture()
            try fixture.withVault { _ = try $0.store("p", account: "a", service: "s") }
            let before = try fixture.allBytes()
            let other = KeySource.key(try SecretKey())
            #expect(
                code { () throws(StorageError) in try Vault(at: fixture.directory, keys: other) } == .wrongKey)
            #expect(try fixture.allBytes() == before)
            try FileManager.default.removeItem(atPath: fixture.folder + "/key")
            #expect(code { () throws(StorageError) in try fixture.open() } == .missingKey)
        }

        @Test func theMasterKeyChanges() throws {
            let fixture = try VaultFixture()
            let new = KeySource.key(try SecretKey())
            try fixture.withVault { (vault) throws in
                try vault.store("p", account: "a", service: "s")
                try vault.changeMasterKey(to: new)
            }
            #expect(code { () throws(StorageError) in try fixture.open() } == .wrongKey)
            let vault = try Vault(at: fixture.directory, keys: new)
            #expect(try vault.password(account: "a", service: "s") == "p")
            try vault.close()
        }

        @Test func aPassphraseOpensIt() throws {
            let fixture = try VaultFixture()
            let costs = try ScryptCosts(rounds: 1 << 10)
            let vault = try Vault(at: fixture.directory, keys: .passphrase("open sesame", costs: costs))
            try vault.store("p", account: "a", service: "s")
            try vault.close()
            let again = try Vault(at: fixture.directory, keys: .passphrase("open sesame"))
            #expect(try again.password(account: "a", service: "s") == "p")
            try again.close()
            #expect(
                code { () throws(StorageError) in
                    try Vault(at: fixture.directory, keys: .passphrase("open says me"))
                } == .wrongKey)
        }

        @Test func aKeyComesFromTheEnvironmentOrAClosure() throws {
            let fixture = try VaultFixture()
            let name = "SHALE_VAULT_TEST_KEY"
            let other = String(repeating: "5b", count: SecretKey.byteCount)
            unsafe setenv(name, String(repeating: "5a", count: SecretKey.byteCount), 1)
            let vault = try Vault(at: fixture.directory, keys: .environment(name))
            try vault.store("p", account: "a", service: "s")
            try vault.close()
            let closure = KeySource.callback { () throws(StorageError) in
                var bits = [UInt8](repeating: 0x5a, count: SecretKey.byteCount)
                return try SecretKey(wiping: &bits)
            }
            let again = try Vault(at: fixture.directory, keys: closure)
            #expect(try again.password(account: "a", service: "s") == "p")
            try again.close()
            unsafe setenv(name, other, 1)
            #expect(
                code { () throws(StorageError) in try Vault(at: fixture.directory, keys: .environment(name)) }
                    == .wrongKey)
            unsafe unsetenv(name)
            #expect(
                code { () throws(StorageError) in try Vault(at: fixture.directory, keys: .environment(name)) }
                    == .missingKey)
        }

        @Test func theUsualPlaceIsApartFromTheData() throws {
            let path = try Vault.defaultDirectory(application: "com.example.mail")
            #expect(path.hasPrefix("/") && path.hasSuffix("/com.example.mail/vault"))
            #if !canImport(Darwin)
                let home = NSHomeDirectory() + "/.local/share/app/vault"
                #expect(try Vault.defaultDirectory("app", ["XDG_DATA_HOME": "/d"]) == "/d/app/vault")
                #expect(try Vault.defaultDirectory("app", ["XDG_DATA_HOME": "relative"]) == home)
                #expect(try Vault.defaultDirectory("app", [:]) == home)
            #endif
            for name in ["", ".", "..", "a/b", "a\0b"] {
                #expect(
                    code { () throws(StorageError) in try Vault.defaultDirectory(application: name) }
                        == .invalidArgument)
            }
        }
    }
#endif
