#if Encryption
    import ShaleEncryption
    import TestSupport
    import Testing

    /// Changes of encrypted values that keep or renew their options.
    @Suite struct EncryptedUpdateTests {
        @Test func aTouchedValueStaysEncryptedAndReadable() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["n"]
            try namespace.set("secret", forKey: "a", options: .encrypted)
            try namespace.touch([.purgeable, .expires(after: .seconds(3600))], forKey: "a")
            try fixture.reopen(.first)
            let info = try #require(try fixture["n"].info(forKey: "a"))
            #expect(info.isEncrypted && info.isPurgeable && info.expiresAt != nil)
            #expect(try fixture["n"].string(forKey: "a") == "secret")
        }

        @Test func aTouchThatNamesACipherKeepsIt() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["n"]
            try namespace.set("secret", forKey: "a", options: .encrypted(with: .aes256GCM))
            try namespace.touch(.purgeable, forKey: "a")
            try namespace.update(forKey: "a", default: "") { $0 += "!" }
            #expect(try namespace.info(forKey: "a")?.isEncrypted == true)
            #expect(try namespace.string(forKey: "a") == "secret!")
        }

        @Test func anUpdateKeepsTheEncryption() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["n"]
            try namespace.set(1, forKey: "a", options: .encrypted)
            #expect(try namespace.increment(forKey: "a") == 2)
            #expect(try namespace.info(forKey: "a")?.isEncrypted == true)
            try namespace.increment(forKey: "a", options: .notEncrypted)
            #expect(try namespace.info(forKey: "a")?.isEncrypted == false)
            #expect(try namespace.int(forKey: "a") == 3)
        }
    }
#endif
