#if Encryption
    import Foundation
    import ShaleEncryption
    import TestSupport
    import Testing

    /// Changing the master key is one step. Afterwards the new key opens the store and the old one does not.
    @Suite struct MasterKeyChangeTests {
        @Test func theNewKeyOpensAndTheOldDoesNot() throws {
            let fixture = try EncryptedFixture(.first)
            for name in ["a", "b", "c"] { try fixture[name].set(name, forKey: "k", .encrypted) }
            try fixture.store.user("u")["a"].set("u", forKey: "k", .encrypted)
            let stored = try fixture.stored("k", in: fixture["a"])
            try fixture.store.changeMasterKey(to: KeySource.key(TestKeys.second))
            // The change does not touch values, which stay readable and writable.
            #expect(try fixture.stored("k", in: fixture["a"]) == stored)
            #expect(try fixture["a"].value(forKey: "k", as: String.self) == "a")
            try fixture["d"].set("d", forKey: "k", .encrypted)
            try fixture.store.close()
            var options = fixture.options
            #expect(code { () throws(StorageError) in try Store(at: fixture.path, options: options) } == .wrongKey)
            options.encryption = .second
            try fixture.reopen(.second)
            for name in ["a", "b", "c", "d"] {
                #expect(try fixture[name].value(forKey: "k", as: String.self) == name)
            }
            #expect(try fixture.store.user("u")["a"].value(forKey: "k", as: String.self) == "u")
        }

        @Test func aKeyMayBecomeAPassphraseAndAKeyAgain() throws {
            let fixture = try EncryptedFixture(.first)
            try fixture["a"].set(1, forKey: "k", .encrypted)
            let phrase = KeySource.passphrase("horse", costs: try ScryptCosts(rounds: 1 << 10))
            try fixture.store.changeMasterKey(to: phrase)
            try fixture.reopen(.aes256GCM(phrase))
            #expect(try fixture["a"].value(forKey: "k", as: Int.self) == 1)
            try fixture.store.changeMasterKey(to: KeySource.key(TestKeys.second))
            try fixture.store.changeMasterKey(to: KeySource.key(TestKeys.first))
            try fixture.reopen(.first)
            #expect(try fixture["a"].value(forKey: "k", as: Int.self) == 1)
        }

        @Test func aProviderThatFailsChangesNothing() throws {
            let fixture = try EncryptedFixture(.first)
            try fixture["a"].set(1, forKey: "k", .encrypted)
            #expect(
                code { () throws(StorageError) in
                    try fixture.store.changeMasterKey(to: KeySource.file("/nowhere/key"))
                } == .missingKey)
            try fixture.reopen()
            #expect(try fixture["a"].value(forKey: "k", as: Int.self) == 1)
            try fixture.reopen(nil)
            #expect(
                code { () throws(StorageError) in
                    try fixture.store.changeMasterKey(to: KeySource.key(TestKeys.second))
                } == .cipherMismatch)
        }
    }
#endif
