#if Encryption
    import ShaleEncryption
    import TestSupport
    import Testing

    /// Custom ciphers have an id; reading with a missing or different cipher is `.cipherMismatch`.
    @Suite struct CustomCipherTests {
        /// The standard cipher under another id, with an additional byte at the end.
        struct Padded: ValueCipher {
            let id = CipherID(rawValue: 200)

            func sealer(with key: SecretKey) throws(StorageError) -> any ValueSealer {
                Sealer(inner: try AES256GCM().sealer(with: key))
            }

            struct Sealer: ValueSealer {
                let inner: any ValueSealer

                func seal(
                    _ plaintext: RawSpan, nonce: RawSpan, context: RawSpan, appendingTo output: inout [UInt8]
                ) throws(StorageError) {
                    try inner.seal(plaintext, nonce: nonce, context: context, appendingTo: &output)
                    output.append(0)
                }

                func open(
                    _ sealed: RawSpan, nonce: RawSpan, context: RawSpan, appendingTo output: inout [UInt8]
                ) throws(StorageError) -> Bool {
                    guard sealed.byteCount > 0 else { return false }
                    return try inner.open(
                        sealed.extracting(0..<sealed.byteCount - 1), nonce: nonce, context: context,
                        appendingTo: &output)
                }
            }
        }

        private static let padded = StoreEncryption(cipher: Padded(), keys: KeySource.key(TestKeys.first))

        @Test func aCustomCipherIsUsedAndFound() throws {
            let fixture = try EncryptedFixture(Self.padded)
            try fixture["n"].set("secret", forKey: "k", options: .encrypted)
            #expect(try fixture.stored("k", in: fixture["n"]).count == 31 + 6 + 17)
            try fixture.reopen()
            #expect(try fixture["n"].value(forKey: "k", as: String.self) == "secret")
        }

        @Test func aStoreWhoseKeysNeedAMissingCipherIsNotOpened() throws {
            let fixture = try EncryptedFixture(Self.padded)
            try fixture["n"].set("secret", forKey: "k", options: .encrypted)
            try fixture.store.close()
            var options = fixture.options
            options.encryption = .first
            #expect(
                code { () throws(StorageError) in try Store(at: fixture.path, options: options) } == .cipherMismatch)
            try fixture.reopen()
        }

        @Test func twoCiphersLiveSideBySide() throws {
            let fixture = try EncryptedFixture(.first)
            try fixture["n"].set("one", forKey: "a", options: .encrypted)
            var both = Self.padded
            both.otherCiphers = [AES256GCM()]
            try fixture.reopen(both)
            try fixture["n"].set("two", forKey: "b", options: .encrypted)
            #expect(try fixture["n"].value(forKey: "a", as: String.self) == "one")
            #expect(try fixture["n"].value(forKey: "b", as: String.self) == "two")
            // Without the other cipher, reading its values fails and everything else works.
            try fixture.reopen(.first)
            #expect(
                code { () throws(StorageError) in try fixture["n"].value(forKey: "b", as: String.self) }
                    == .cipherMismatch)
            #expect(try fixture["n"].value(forKey: "a", as: String.self) == "one")
            try fixture["n"].set("three", forKey: "b", options: .encrypted)
            #expect(try fixture["n"].value(forKey: "b", as: String.self) == "three")
        }

        @Test func anIdIsGivenOnce() throws {
            var options = Store.Options()
            options.encryption = .aes256GCM(.key(TestKeys.first), otherCiphers: [AES256GCM()])
            #expect(code { () throws(StorageError) in try Store(at: "/nowhere", options: options) } == .invalidArgument)
        }
    }
#endif
