#if Encryption
    import ShaleEncryption
    import Testing

    @Suite struct ReadmeEncryptionSamples {
        func encrypted(directory: String, keyFile: String) throws {
            var options = StoreOptions()
            options.encryption = .aes256GCM(.file(keyFile))  // made by KeySource.makeKeyFile(at:)
            let store = try Store(at: directory, options: options)
            try store.user("u1")["tokens"].set("secret", forKey: "api", .encrypted)
            try store.close()
        }

        @Test func theExampleDoesWhatItShows() throws {
            let place = try TemporaryPlace()
            defer { place.remove() }
            let key = place.path + "/key"
            try KeySource.makeKeyFile(at: key)
            try encrypted(directory: place.path + "/store", keyFile: key)
            let store = try Store(at: place.path + "/store", options: .init(encryption: .aes256GCM(.file(key))))
            #expect(try store.user("u1")["tokens"].string(forKey: "api") == "secret")
            try store.close()
        }
    }
#endif
