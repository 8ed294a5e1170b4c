#if Encryption
    import ShaleBoxes
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

    final class Session: DataBoxOwner {
        let dataBox: DataBox
        @Stored(.standard) var userId: String?
        @Stored(.vault, per: \.userId) var token: String?
        @Stored(.restricted, per: \.userId) var device: String?

        init(_ box: DataBox) { dataBox = box }
    }

    func session(directory: String, keyFile: String) throws -> Session {
        let vault = try Vault(at: try Vault.defaultDirectory(application: "com.example.mail"), keys: .file(keyFile))
        let box = try DataBox(at: directory, application: "com.example.mail", vault: vault)
        let session = Session(box)
        session.userId = "ada"  // with another user the other two are other values
        try session.$token.set("t0p-secret")  // a property can't throw, its projection does
        try box.synchronize()
        return session
    }

    @Suite struct ReadmeSecretsSamples {
        /// Compiles the sample unchanged, but runs it in another directory, because the usual one belongs to the user.
        @Test func theSessionDoesWhatItSays() throws {
            let place = try TemporaryPlace()
            defer { place.remove() }
            try KeySource.makeKeyFile(at: place.path + "/key")
            let vault = try Vault(at: place.path + "/vault", keys: .file(place.path + "/key"))
            let box = try DataBox(at: place.path + "/data", application: "com.example.mail", vault: vault)
            let session = Session(box)
            session.userId = "ada"
            try session.$token.set("t0p-secret")
            session.device = "d"
            session.userId = "bob"
            #expect(session.token == nil && session.device == nil)
            session.userId = "ada"
            #expect(session.token == "t0p-secret" && session.device == "d")
            try box.close()
            try vault.close()
        }
    }
#endif
