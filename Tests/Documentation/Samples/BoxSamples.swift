#if Encryption
    import ShaleKit
    import Testing

    final class Session: DataBoxOwner {
        let dataBox: DataBox
        @Boxed(.standard) var userId: String?
        @Boxed(.vault, per: \.userId) var token: String?
        @Boxed(.restricted, per: \.userId) var device: String?

        init(_ box: DataBox) { dataBox = box }
    }

    func session(directory: String, keyFile: String) throws -> Session {
        let vault = try Vault(at: try Vault.defaultDirectory(application: "com.example.mail"), keys: .file(keyFile))
        let box = try DataBox(at: directory, application: "com.example.mail", vault: vault)
        let session = Session(box)
        session.userId = "ada"  // another user has other values of token and device
        try session.$token.set("t0p-secret")  // a property can't throw, its projection does
        try box.sync()
        return session
    }

    @Suite struct BoxSamples {
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
