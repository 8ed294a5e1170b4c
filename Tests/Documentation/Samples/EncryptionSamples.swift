#if Encryption
    import ShaleEncryption
    import Testing

    @Suite struct EncryptionSamples {
        @Test func theArticleDoesWhatItSays() async throws {
            let place = try TemporaryPlace()
            defer { place.remove() }
            let directory = place.path + "/store"
            let keyFile = place.path + "/key"
            let newKeyFile = place.path + "/new-key"
            try KeySource.makeKeyFile(at: keyFile)  // once; mode 0600
            var options = Store.Options()
            options.encryption = .aes256GCM(.file(keyFile))
            let store = try Store(at: directory, options: options)

            try store.common["notes"].set("for nobody else", forKey: "1", options: .encrypted)

            let tokens = store.user("ada")["tokens"]
            try tokens.setOptions(NamespaceOptions(isEncrypted: true))
            try tokens.set("s3cret", forKey: "api")
            try tokens.set("https://example.org", forKey: "server", options: .notEncrypted)
            let token = try tokens.string(forKey: "api")  // reading needs no option
            #expect(token == "s3cret")

            try KeySource.makeKeyFile(at: newKeyFile)
            try store.changeMasterKey(to: KeySource.file(newKeyFile))

            try await tokens.changeDataKey { print("\(Int($0.fraction * 100)) %") }

            try store.removeUser("ada")  // and destroys the keys of everything that the user had
            #expect(try !tokens.exists)
            try await store.close()

            do {
                _ = try Store(at: directory, options: options)
            } catch {
                switch error.code {
                case .wrongKey: print("This is not the store's key. Nothing was changed.")
                case .missingKey: print("There is no key where it should be.")
                default: throw error
                }
            }
            #expect(throws: StorageError.self) { try Store(at: directory, options: options) }
        }

        /// A cipher of the application.
        private struct OurCipher: ValueCipher {
            let id = CipherID(rawValue: 200)

            func sealer(with key: SecretKey) throws(StorageError) -> any ValueSealer {
                try AES256GCM().sealer(with: key)
            }
        }

        @Test func aCipherIsChosen() throws {
            let place = try TemporaryPlace()
            defer { place.remove() }
            let directory = place.path + "/store"
            let keyFile = place.path + "/key"
            try KeySource.makeKeyFile(at: keyFile)
            var options = Store.Options()
            options.encryption = .aes256GCM(.file(keyFile), otherCiphers: [OurCipher()])
            let store = try Store(at: directory, options: options)
            let notes = store.common["notes"]
            try notes.set("for the auditors", forKey: "1", options: .encrypted(with: OurCipher().id))
            try store.common["ledger"].setOptions(NamespaceOptions(isEncrypted: true, cipher: OurCipher().id))
            #expect(try notes.value(forKey: "1", as: String.self) == "for the auditors")
            #expect(try store.common["ledger"].options.cipher == OurCipher().id)
            try store.close()
        }
    }
#endif
