#if Encryption
    import ShaleEncryption
    import TestSupport
    import Testing

    /// The time of writing of an encrypted value is in the clear, and authenticated.
    @Suite struct EncryptedWriteTimeTests {
        private static func fixture() throws -> EncryptedFixture {
            let fixture = try EncryptedFixture()
            try fixture["a"].setOptions(
                NamespaceOptions(isPurgeable: true, isEncrypted: true, purgePolicy: .age(.seconds(10))))
            try fixture["a"].set("a secret", forKey: "k")
            return fixture
        }

        @Test func encryptedValuesAgeToo() throws {
            let fixture = try Self.fixture()
            let written = try #require(try fixture["a"].info(forKey: "k")?.writtenAt)
            fixture.time.advance(milliseconds: 5000)
            // A new data key does not change the age of a value.
            try fixture["a"].changeDataKey()
            #expect(try fixture["a"].info(forKey: "k")?.writtenAt == written)
            #expect(try fixture["a"].string(forKey: "k") == "a secret")
            try fixture.reopen()
            fixture.time.advance(milliseconds: 5000)
            #expect(try fixture.store.purge(by: .policies).entries == 1)
            #expect(try fixture["a"].string(forKey: "k") == nil)
        }

        @Test func everyChangedByteIsNoticed() throws {
            let fixture = try Self.fixture()
            let namespace = fixture["a"]
            let stored = try fixture.stored("k", in: namespace)
            let options = PutOptions(isPurgeable: true)
            let expected: Set<StorageError.Code> = [.authenticationFailed, .corruption, .newerFormat]
            for offset in stored.indices {
                for change in [1, 2, 0x80, 0xff] as [UInt8] {
                    var changed = stored
                    changed[offset] ^= change
                    try fixture.plant(changed, forKey: "k", in: namespace, options)
                    let found = code { () throws(StorageError) in try namespace.value(forKey: "k", as: String.self) }
                    #expect(
                        found.map { expected.contains($0) } == true, "offset \(offset): \(String(describing: found))")
                    // The offsets of the time and of everything behind the header.
                    if offset >= 6 { #expect(found == .authenticationFailed || offset == 14) }
                }
            }
            try fixture.plant(stored, forKey: "k", in: namespace, options)
            #expect(try namespace.string(forKey: "k") == "a secret")
        }
    }
#endif
