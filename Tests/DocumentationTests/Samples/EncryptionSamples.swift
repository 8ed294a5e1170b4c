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
            var options = StoreOptions()
            options.encryption = .aes256GCM(.file(keyFile))
            let store = try Store(at: directory, options: options)

            try store.common["notes"].set("for nobody else", forKey: "1", .encrypted)

            let tokens = store.user("ada")["tokens"]
            try tokens.setOptions(NamespaceOptions(isEncrypted: true))
            try tokens.set("s3cret", forKey: "api")
            try tokens.set("https://example.org", forKey: "server", .notEncrypted)
            let token = try tokens.string(forKey: "api")  // reading needs no option
            #expect(token == "s3cret")

            try KeySource.makeKeyFile(at: newKeyFile)
            try store.changeMasterKey(to: KeySource.file(newKeyFile))

            try await tokens.changeDataKey { print("\(Int($0.fraction * 100)) %") }

            try store.removeUser("ada")  // and destroys the keys of everything that the user had
            #expect(try !tokens.exists)
            try store.close()

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
    }
#endif
