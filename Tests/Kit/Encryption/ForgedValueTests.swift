#if Encryption
    import Foundation
    import ShaleEncryption
    import ShaleEngine
    import TestSupport
    import Testing

    /// Any changed byte of an encrypted value is an error, never a wrong value and never `nil`.
    @Suite struct TamperedValueTests {
        @Test func everyChangedByteIsNoticed() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["a"]
            try namespace.set("a secret of some length", forKey: "k", options: .encrypted)
            let stored = try fixture.stored("k", in: namespace)
            let expected: Set<StorageError.Code> = [.authenticationFailed, .corruption, .newerFormat]
            for offset in stored.indices {
                for change in [1, 2, 0x80, 0xff] as [UInt8] {
                    var changed = stored
                    changed[offset] ^= change
                    try fixture.plant(changed, forKey: "k", in: namespace)
                    let found = code { () throws(StorageError) in try namespace.value(forKey: "k", as: String.self) }
                    #expect(
                        found.map { expected.contains($0) } == true, "offset \(offset): \(String(describing: found))")
                    if offset > 6 { #expect(found == .authenticationFailed) }
                }
            }
        }

        @Test func everyOtherLengthIsNoticed() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["a"]
            try namespace.set("a secret", forKey: "k", options: .encrypted)
            let stored = try fixture.stored("k", in: namespace)
            for count in 0..<stored.count {
                try fixture.plant(Array(stored.prefix(count)), forKey: "k", in: namespace)
                #expect(code { () throws(StorageError) in try namespace.value(forKey: "k", as: String.self) } != nil)
                #expect(code { () throws(StorageError) in try namespace.object(forKey: "k") } != nil)
            }
            try fixture.plant(stored + [0], forKey: "k", in: namespace)
            #expect(
                code { () throws(StorageError) in try namespace.value(forKey: "k", as: String.self) }
                    == .authenticationFailed)
            try fixture.plant(stored, forKey: "k", in: namespace)
            #expect(try namespace.value(forKey: "k", as: String.self) == "a secret")
        }
    }

    /// Authenticated data binds store, user, namespace, key, codec and options, so that a moved
    /// ciphertext is refused.
    @Suite struct MovedValueTests {
        private func expectFailure(
            _ stored: [UInt8], _ fixture: EncryptedFixture, _ key: String, _ namespace: Store.Namespace,
            _ options: PutOptions = .init(), sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            // The namespace has a key of its own.
            try namespace.set(true, forKey: "own", options: .encrypted)
            try fixture.plant(stored, forKey: key, in: namespace, options: options)
            let found = code { () throws(StorageError) in try namespace.object(forKey: key) }
            #expect(found == .authenticationFailed, sourceLocation: sourceLocation)
            let scanned = try namespace.entries.array().first { $0.key == EntryKey(key) }
            let entry = try #require(scanned)
            #expect(code { () throws(StorageError) in try entry.object() } == .authenticationFailed)
        }

        @Test func aMovedValueFails() throws {
            let fixture = try EncryptedFixture()
            let home = fixture["home"]
            try home.set("secret", forKey: "k", options: .encrypted)
            let stored = try fixture.stored("k", in: home)
            try expectFailure(stored, fixture, "other key", home)
            try expectFailure(stored, fixture, "k", fixture["other"])
            try expectFailure(stored, fixture, "k", home.child("child"))
            try expectFailure(stored, fixture, "k", fixture.store.user("u")["home"])
            try expectFailure(stored, fixture, "k", home, PutOptions(isPurgeable: true))
            try expectFailure(stored, fixture, "k", home, PutOptions(expiresAtMilliseconds: .max))
            var recoded = stored
            recoded[2] = ValueCodec.data.rawValue
            try expectFailure(recoded, fixture, "k", home)
            try fixture.plant(stored, forKey: "k", in: home)
            #expect(try home.value(forKey: "k", as: String.self) == "secret")
        }

        @Test func aNamespaceWithoutKeysRefusesCiphertext() throws {
            let fixture = try EncryptedFixture()
            try fixture["home"].set("secret", forKey: "k", options: .encrypted)
            try fixture["bare"].set(1, forKey: "plain")
            try fixture.plant(try fixture.stored("k", in: fixture["home"]), forKey: "k", in: fixture["bare"])
            #expect(
                code { () throws(StorageError) in try fixture["bare"].object(forKey: "k") } == .authenticationFailed)
        }

        @Test func aTwinStoreWithTheSameMasterKeyRefusesIt() throws {
            let fixture = try EncryptedFixture()
            let twin = try EncryptedFixture()
            try fixture["home"].set("secret", forKey: "k", options: .encrypted)
            try expectFailure(try fixture.stored("k", in: fixture["home"]), twin, "k", twin["home"])
        }

        @Test func optionsThatBelongToTheValueStayReadable() throws {
            let fixture = try EncryptedFixture()
            let home = fixture["home"]
            try home.set(1, forKey: "p", options: [.encrypted, .purgeable])
            try home.set(2, forKey: "e", options: [.encrypted, .expires(after: .seconds(9))])
            try fixture.reopen()
            #expect(try fixture["home"].value(forKey: "p", as: Int.self) == 1)
            #expect(try fixture["home"].value(forKey: "e", as: Int.self) == 2)
            fixture.time.advance(milliseconds: 9000)
            #expect(try fixture["home"].value(forKey: "e", as: Int.self) == nil)
            try fixture.store.purgeNow(.all)
            #expect(try fixture["home"].value(forKey: "p", as: Int.self) == nil)
        }
    }

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
                    try fixture.plant(changed, forKey: "k", in: namespace, options: options)
                    let found = code { () throws(StorageError) in try namespace.value(forKey: "k", as: String.self) }
                    #expect(
                        found.map { expected.contains($0) } == true, "offset \(offset): \(String(describing: found))")
                    // The offsets of the time and of everything behind the header.
                    if offset >= 6 { #expect(found == .authenticationFailed || offset == 14) }
                }
            }
            try fixture.plant(stored, forKey: "k", in: namespace, options: options)
            #expect(try namespace.string(forKey: "k") == "a secret")
        }
    }
#endif
