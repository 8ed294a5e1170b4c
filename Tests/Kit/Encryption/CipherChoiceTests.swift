#if Encryption
    import ShaleEncryption
    import TestSupport
    import Testing

    /// A call or a namespace names the cipher; reading needs no option.
    @Suite struct CipherChoiceTests {
        private typealias Padded = CustomCipherTests.Padded
        private static let padded = Padded().id

        private func fixture() throws -> EncryptedFixture {
            try EncryptedFixture(.aes256GCM(.key(TestKeys.first), otherCiphers: [Padded()]))
        }

        /// Returns true if the value was encrypted with the padded cipher, which adds a byte.
        private func isPadded(_ key: String, _ fixture: EncryptedFixture) throws -> Bool {
            try fixture.stored(key, in: fixture["n"]).count == 31 + 6 + 17
        }

        @Test func aCallChoosesItsCipher() throws {
            let fixture = try fixture()
            try fixture["n"].set("secret", forKey: "own", options: .encrypted)
            try fixture["n"].set("secret", forKey: "other", options: .encrypted(with: Self.padded))
            try fixture["n"].set("secret", forKey: "named", options: .encrypted(with: .aes256GCM))
            try fixture.store.write { (batch) throws(StorageError) in
                try batch.set("secret", forKey: "batch", in: fixture["n"], options: .encrypted(with: Self.padded))
            }
            try fixture.store.transaction { (transaction) throws(StorageError) in
                try transaction.set(
                    "secret", forKey: "transaction", in: fixture["n"], options: [.encrypted(with: Self.padded)])
            }
            let expected = ["own": false, "other": true, "named": false, "batch": true, "transaction": true]
            try fixture.reopen()
            for (key, isOther) in expected {
                #expect(try isPadded(key, fixture) == isOther, "\(key)")
                #expect(try fixture["n"].value(forKey: key, as: String.self) == "secret")
            }
            // The later of two options counts.
            try fixture["n"].set("secret", forKey: "last", options: [.encrypted(with: Self.padded), .encrypted])
            #expect(try !isPadded("last", fixture))
            try fixture["n"].set("secret", forKey: "last", options: [.encrypted(with: Self.padded), .notEncrypted])
            #expect(try fixture.stored("last", in: fixture["n"]).count == 2 + 6)
        }

        @Test func aNamespaceChoosesItsCipher() throws {
            let fixture = try fixture()
            try fixture["n"].setOptions(NamespaceOptions(isEncrypted: true, cipher: Self.padded))
            try fixture["n"].set("secret", forKey: "default")
            try fixture["n"].set("secret", forKey: "named", options: .encrypted(with: .aes256GCM))
            #expect(try isPadded("default", fixture))
            #expect(try !isPadded("named", fixture))
            try fixture.reopen()
            #expect(try fixture["n"].options.cipher == Self.padded)
            try fixture["n"].set("secret", forKey: "later")
            #expect(try isPadded("later", fixture))
            #expect(try fixture["n"].value(forKey: "default", as: String.self) == "secret")
        }

        @Test func aCipherThatTheStoreDoesNotHaveIsAnError() throws {
            let fixture = try EncryptedFixture()
            let missing: ValueOptions = .encrypted(with: Self.padded)
            #expect(
                code { () throws(StorageError) in try fixture["n"].set(1, forKey: "k", options: missing) }
                    == .cipherMismatch)
            #expect(
                code { () throws(StorageError) in
                    try fixture["n"].setOptions(NamespaceOptions(isEncrypted: true, cipher: Self.padded))
                } == .cipherMismatch)
            #expect(try fixture["n"].object(forKey: "k") == nil)
            try fixture.reopen(nil)
            #expect(
                code { () throws(StorageError) in try fixture["n"].set(1, forKey: "k", options: missing) }
                    == .cipherMismatch)
        }

        @Test func aValueOfAMissingCipherIsAnErrorAndTheOthersAreRead() throws {
            let fixture = try fixture()
            try fixture["n"].set("secret", forKey: "own", options: .encrypted)
            try fixture["n"].set("secret", forKey: "other", options: .encrypted(with: Self.padded))
            try fixture.reopen(.first)
            #expect(try fixture["n"].value(forKey: "own", as: String.self) == "secret")
            #expect(
                code { () throws(StorageError) in try fixture["n"].value(forKey: "other", as: String.self) }
                    == .cipherMismatch)
        }

        /// Values keep the cipher that a call named. Values with the namespace's cipher follow a change of the
        /// namespace's cipher.
        @Test func aChangeOfKeysKeepsWhatCallsChose() throws {
            let fixture = try fixture()
            try fixture["n"].set("secret", forKey: "own", options: .encrypted)
            try fixture["n"].set("secret", forKey: "other", options: .encrypted(with: Self.padded))
            #expect(try !fixture["n"].hasUnfinishedKeyChange)
            let before = try fixture.stored("other", in: fixture["n"])
            let report = try fixture["n"].changeDataKey { (_) throws(StorageError) in }
            #expect(report.rewritten == 2 && !report.isResumed)
            #expect(try fixture.stored("other", in: fixture["n"]) != before)
            #expect(try isPadded("other", fixture))
            #expect(try !isPadded("own", fixture))
            #expect(try !fixture.store.hasUnfinishedKeyChange)
            // If the change is cancelled in the middle, the next call finishes it.
            var calls = 0
            let cancelled = code { () throws(StorageError) in
                try fixture["n"].changeDataKey { (_) throws(StorageError) in
                    calls += 1
                    throw StorageError(.cancelled, "enough")
                }
            }
            #expect(cancelled == .cancelled && calls == 1)
            try fixture.reopen()
            #expect(try fixture["n"].hasUnfinishedKeyChange)
            #expect(try fixture.store.changeDataKeys().isResumed)
            #expect(try !fixture["n"].hasUnfinishedKeyChange)
            try fixture["n"].setOptions(NamespaceOptions(cipher: Self.padded))
            #expect(try fixture["n"].changeDataKey().rewritten >= 1)
            #expect(try isPadded("own", fixture))
            #expect(try isPadded("other", fixture))
            try fixture.store.changeMasterKey(to: KeySource.key(TestKeys.second))
            try fixture.reopen(.aes256GCM(.key(TestKeys.second), otherCiphers: [Padded()]))
            for key in ["own", "other"] {
                #expect(try fixture["n"].value(forKey: key, as: String.self) == "secret")
            }
        }
    }
#endif
