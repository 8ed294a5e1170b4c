#if Encryption
    import Foundation
    import ShaleEncryption
    import TestSupport
    import Testing

    /// A wrong key is `.wrongKey` and changes nothing. Without a key, everything that is not
    /// encrypted works.
    @Suite struct WrongMasterKeyTests {
        private func bytes(of path: String) throws -> [String: Data] {
            var files: [String: Data] = [:]
            for name in try FileManager.default.subpathsOfDirectory(atPath: path) where name != "LOCK" {
                files[name] = FileManager.default.contents(atPath: path + "/" + name)
            }
            return files
        }

        @Test func aWrongKeyIsRefusedAndChangesNothing() throws {
            let fixture = try EncryptedFixture()
            try fixture["a"].set(1, forKey: "k", options: .encrypted)
            let copy = fixture.path + "-copy"
            defer { remove(copy) }
            // As after a crash: the copy has logs, which an opening replays if the key is correct.
            try FileManager.default.copyItem(atPath: fixture.path, toPath: copy)
            let before = try bytes(of: copy)
            var options = fixture.options
            options.encryption = .second
            #expect(code { () throws(StorageError) in try Store(at: copy, options: options) } == .wrongKey)
            options.encryption = .aes256GCM(.passphrase("guess", costs: .small))
            #expect(code { () throws(StorageError) in try Store(at: copy, options: options) } == .wrongKey)
            #expect(try bytes(of: copy) == before)
            options.encryption = .first
            let store = try Store(at: copy, options: options)
            #expect(try store.common["a"].value(forKey: "k", as: Int.self) == 1)
            try store.close()
        }

        @Test func withoutAKeyAllElseWorks() throws {
            let fixture = try EncryptedFixture()
            let secrets = fixture["secrets"]
            try secrets.setOptions(NamespaceOptions(isEncrypted: true))
            try secrets.set("s", forKey: "k")
            try fixture["open"].set("o", forKey: "k")
            try fixture.reopen(nil)
            #expect(try fixture["open"].value(forKey: "k", as: String.self) == "o")
            try fixture["open"].set("p", forKey: "k")
            let closed = fixture["secrets"]
            #expect(
                code { () throws(StorageError) in try closed.value(forKey: "k", as: String.self) } == .cipherMismatch)
            #expect(code { () throws(StorageError) in try closed.string(forKey: "k", default: "") } == .cipherMismatch)
            #expect(code { () throws(StorageError) in try closed.object(forKey: "k") } == .cipherMismatch)
            #expect(code { () throws(StorageError) in try closed.set(1, forKey: "l") } == .cipherMismatch)
            #expect(
                code { () throws(StorageError) in try fixture["open"].set(1, forKey: "l", options: .encrypted) }
                    == .cipherMismatch)
            #expect(try closed.contains("k") && !closed.contains("l"))
            #expect(try closed.info(forKey: "k")?.isEncrypted == true)
            #expect(try closed.keys.array().map(\.description) == ["k"])
            try closed.set(2, forKey: "m", options: .notEncrypted)
            try fixture.reopen(.first)
            #expect(try fixture["secrets"].value(forKey: "k", as: String.self) == "s")
            #expect(try fixture["secrets"].value(forKey: "m", as: Int.self) == 2)
        }

        @Test func aSecondOpeningNeedsTheSameKey() throws {
            let fixture = try EncryptedFixture()
            try fixture["a"].set(1, forKey: "k", options: .encrypted)
            var options = fixture.options
            options.encryption = .second
            #expect(code { () throws(StorageError) in try Store(at: fixture.path, options: options) } == .wrongKey)
            options.encryption = nil
            #expect(
                code { () throws(StorageError) in try Store(at: fixture.path, options: options) } == .invalidArgument)
            let again = try Store(at: fixture.path, options: fixture.options)
            #expect(try again.common["a"].value(forKey: "k", as: Int.self) == 1)
            try again.close()
        }

        @Test func theKeyIsAskedForOnlyWhenItIsNeeded() throws {
            let fixture = try EncryptedFixture(
                .aes256GCM(.callback { () throws(StorageError) in throw StorageError(.missingKey, "not now") }))
            try fixture["a"].set(1, forKey: "plain")
            #expect(
                code { () throws(StorageError) in try fixture["a"].set(1, forKey: "k", options: .encrypted) }
                    == .missingKey)
            #expect(try fixture["a"].keys.array().map(\.description) == ["plain"])
        }
    }

    /// Changing the master key is one step. Afterwards the new key opens the store and the old one does not.
    @Suite struct MasterKeyChangeTests {
        @Test func theNewKeyOpensAndTheOldDoesNot() throws {
            let fixture = try EncryptedFixture(.first)
            for name in ["a", "b", "c"] { try fixture[name].set(name, forKey: "k", options: .encrypted) }
            try fixture.store.user("u")["a"].set("u", forKey: "k", options: .encrypted)
            let stored = try fixture.stored("k", in: fixture["a"])
            try fixture.store.changeMasterKey(to: KeySource.key(TestKeys.second))
            // The change does not touch values, which stay readable and writable.
            #expect(try fixture.stored("k", in: fixture["a"]) == stored)
            #expect(try fixture["a"].value(forKey: "k", as: String.self) == "a")
            try fixture["d"].set("d", forKey: "k", options: .encrypted)
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
            try fixture["a"].set(1, forKey: "k", options: .encrypted)
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
            try fixture["a"].set(1, forKey: "k", options: .encrypted)
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
