#if Encryption
    import Foundation
    import ShaleEncryption
    import Testing

    /// Contract S-9: after dropping a namespace or a user, or changing a data key, no file contains the sealed
    /// keys.
    @Suite struct CryptoEraseTests {
        /// Returns the sealed data key of a namespace of the common space.
        private func sealedKey(_ name: String, _ store: Store) throws -> Data {
            let options = try #require(
                store.engine.namespace(named: [1, UInt8(name.utf8.count), 0] + Array(name.utf8))?.options)
            // The options end with nonce and sealed key: 24 + 32 + 16 bytes.
            return Data(options.suffix(72))
        }

        private func files(with bytes: Data, _ fixture: EncryptedFixture) throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: fixture.path).filter { name in
                FileManager.default.contents(atPath: fixture.path + "/" + name)?.range(of: bytes) != nil
            }
        }

        @Test func aDroppedNamespacesKeyIsInNoFile() throws {
            let fixture = try EncryptedFixture()
            try fixture["a"].set("v", forKey: "k", .encrypted)
            let key = try sealedKey("a", fixture.store)
            #expect(try files(with: key, fixture).count == 1)
            try fixture["a"].drop()
            #expect(try files(with: key, fixture) == [])
        }

        @Test func anOldDataKeyIsInNoFile() throws {
            let fixture = try EncryptedFixture()
            try fixture["a"].set("v", forKey: "k", .encrypted)
            let key = try sealedKey("a", fixture.store)
            try fixture["a"].changeDataKey()
            #expect(try files(with: key, fixture) == [])
            let second = try sealedKey("a", fixture.store)
            #expect(second != key)
            try fixture.store.changeMasterKey(to: KeySource.key(TestKeys.second))
            #expect(try files(with: second, fixture) == [])
            #expect(try fixture["a"].value(forKey: "k", as: String.self) == "v")
            try fixture.reopen(.second)
        }
    }
#endif
