#if Encryption
    import Foundation
    import ShaleEncryption
    import TestSupport
    import Testing

    /// The option `.encrypted` works for every type, including scalars; reading needs no option.
    @Suite struct EncryptedTypeTests {
        struct Order: Codable, Equatable {
            var item: String
            var count: Int
        }

        private func check<T: StorableValue & Equatable>(_ value: T, _ fixture: EncryptedFixture) throws {
            let namespace = fixture["types"]
            let key = String(describing: T.self)
            try namespace.set(value, forKey: key, .encrypted)
            #expect(try fixture.stored(key, in: namespace)[1] == 1)
            #expect(try namespace.value(forKey: key, as: T.self) == value)
            try namespace.set(value, forKey: key + " plain")
            #expect(try fixture.stored(key + " plain", in: namespace)[1] == 0)
            let info = try #require(try namespace.info(forKey: key))
            let plain = try #require(try namespace.info(forKey: key + " plain"))
            #expect(info.isEncrypted && !plain.isEncrypted)
            #expect(info.codec == plain.codec && info.payloadByteCount == plain.payloadByteCount + 16)
            #expect(try namespace.object(forKey: key) == namespace.object(forKey: key + " plain"))
        }

        @Test func everyTypeIsEncryptedAndRead() throws {
            let fixture = try EncryptedFixture()
            try check(42, fixture)
            try check(Int64.min, fixture)
            try check(UInt64.max, fixture)
            try check(true, fixture)
            try check(1.5, fixture)
            try check(Float(2.5), fixture)
            try check("text", fixture)
            try check("", fixture)
            try check(Date(timeIntervalSinceReferenceDate: 7), fixture)
            try check(Data([1, 2, 3]), fixture)
            try check([UInt8](repeating: 7, count: 100_000), fixture)
            try check(UUID(), fixture)
            try check(try #require(URL(string: "https://example.org/a")), fixture)
        }

        @Test(arguments: [CodableFormat.json, .propertyList]) func documentsAreEncryptedAndRead(
            _ format: CodableFormat
        ) throws {
            let fixture = try EncryptedFixture()
            let order = Order(item: "tea", count: 2)
            try fixture["orders"].set(order, forKey: "o", as: format, .encrypted)
            #expect(try fixture.stored("o", in: fixture["orders"])[1] == 1)
            try fixture.reopen()
            #expect(try fixture["orders"].value(forKey: "o", as: Order.self) == order)
        }

        @Test func aNamespaceEncryptsByDefault() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["secrets"]
            try namespace.setOptions(NamespaceOptions(isEncrypted: true))
            try namespace.set(1, forKey: "a")
            try namespace.set(2, forKey: "b", .notEncrypted)
            // Setting options does not change the keys.
            try namespace.setOptions(NamespaceOptions(isPurgeable: true, isEncrypted: true))
            try fixture.reopen()
            let reopened = fixture["secrets"]
            #expect(try reopened.options == NamespaceOptions(isPurgeable: true, isEncrypted: true))
            #expect(try fixture.stored("a", in: reopened)[1] == 1)
            #expect(try fixture.stored("b", in: reopened)[1] == 0)
            #expect(try reopened.value(forKey: "a", as: Int.self) == 1)
            #expect(try reopened.value(forKey: "b", as: Int.self) == 2)
        }

        @Test func anotherTypeIsStillAMismatch() throws {
            let fixture = try EncryptedFixture()
            try fixture["types"].set("text", forKey: "k", .encrypted)
            #expect(
                code { () throws(StorageError) in try fixture["types"].value(forKey: "k", as: Int.self) }
                    == .typeMismatch)
            #expect(try fixture["types"].int(forKey: "missing", default: 3) == 3)
        }
    }
#endif
