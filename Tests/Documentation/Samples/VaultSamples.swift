#if Encryption
    import ShaleEncryption
    import Testing

    func signIn(directory: String, keyFile: String) throws -> String? {
        let vault = try Vault(at: directory, keys: .file(keyFile))  // made by KeySource.makeKeyFile(at:)
        let outcome = try vault.store(
            "correct horse", account: "ada", service: "imap.example.org", updateExisting: false)
        if outcome == .kept { print("there is another password") }
        let password = try vault.password(account: "ada", service: "imap.example.org")
        try vault.close()
        return password
    }

    @Suite struct VaultSamples {
        @Test func aPasswordIsStoredAndRead() throws {
            let place = try TemporaryPlace()
            defer { place.remove() }
            try KeySource.makeKeyFile(at: place.path + "/key")
            let vault = place.path + "/vault"
            #expect(try signIn(directory: vault, keyFile: place.path + "/key") == "correct horse")
        }
    }
#endif
