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
            try namespace.set(value, forKey: key, options: .encrypted)
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
            try fixture["orders"].set(order, forKey: "o", as: format, options: .encrypted)
            #expect(try fixture.stored("o", in: fixture["orders"])[1] == 1)
            try fixture.reopen()
            #expect(try fixture["orders"].value(forKey: "o", as: Order.self) == order)
        }

        @Test func aNamespaceEncryptsByDefault() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["secrets"]
            try namespace.setOptions(NamespaceOptions(isEncrypted: true))
            try namespace.set(1, forKey: "a")
            try namespace.set(2, forKey: "b", options: .notEncrypted)
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
            try fixture["types"].set("text", forKey: "k", options: .encrypted)
            #expect(
                code { () throws(StorageError) in try fixture["types"].value(forKey: "k", as: Int.self) }
                    == .typeMismatch)
            #expect(try fixture["types"].int(forKey: "missing", default: 3) == 3)
        }
    }

    /// Batches, transactions, compare-and-set, typed keys and scans encrypt and decrypt as single calls do.
    @Suite struct EncryptedPathTests {
        @Test func batchesAndScansEncryptAndDecrypt() throws {
            let fixture = try EncryptedFixture()
            let a = fixture["a"]
            let b = fixture.store.user("u")["b"]
            try fixture.store.write { (batch) throws(StorageError) in
                for index in 0..<50 {
                    try batch.set(index, forKey: "k\(index)", in: a, options: index % 2 == 0 ? .encrypted : [])
                    try batch.set("v\(index)", forKey: "k\(index)", in: b, options: .encrypted)
                }
            }
            var sum = 0
            try a.entries.forEach { sum += try $0.value(as: Int.self) }
            #expect(sum == 49 * 25)
            for entry in try b.entries(prefix: "k1").reversed().array() {
                #expect(try entry.value(as: String.self) == "v" + entry.key.description.dropFirst())
                #expect(try entry.info().isEncrypted)
            }
        }

        @Test func transactionsSeeTheirOwnWrites() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["a"]
            try namespace.set(1, forKey: "n", options: .encrypted)
            try fixture.store.transaction { (transaction) throws(StorageError) in
                let old = try transaction.value(forKey: "n", in: namespace, as: Int.self) ?? 0
                try transaction.set(old + 1, forKey: "n", in: namespace, options: [.encrypted, .purgeable])
                let own = try transaction.value(forKey: "n", in: namespace, as: Int.self)
                #expect(own == 2)
            }
            #expect(try namespace.value(forKey: "n", as: Int.self) == 2)
            #expect(try namespace.compareAndSet(3, forKey: "n", expecting: 2, options: .encrypted))
            #expect(try !namespace.compareAndSet(4, forKey: "n", expecting: 2, options: .encrypted))
            #expect(try namespace.value(forKey: "n", as: Int.self) == 3)
            #expect(try namespace.info(forKey: "n")?.isEncrypted == true)
        }

        @Test func aDroppedNamespaceStartsWithAKeyOfItsOwn() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["a"]
            try namespace.set("old", forKey: "k", options: .encrypted)
            let old = try fixture.stored("k", in: namespace)
            try namespace.drop()
            #expect(try namespace.value(forKey: "k", as: String.self) == nil)
            try namespace.set("new", forKey: "k", options: .encrypted)
            #expect(try namespace.value(forKey: "k", as: String.self) == "new")
            try fixture.plant(old, forKey: "k", in: namespace)
            #expect(
                code { () throws(StorageError) in try namespace.object(forKey: "k") } == .authenticationFailed)
            try fixture.store.removeAll()
            try namespace.set("newer", forKey: "k", options: .encrypted)
            try fixture.reopen()
            #expect(try fixture["a"].value(forKey: "k", as: String.self) == "newer")
        }

        @Test func theStoresOwnNamespaceIsNoUsers() throws {
            let fixture = try EncryptedFixture()
            try fixture["a"].set("v", forKey: "k", options: .encrypted)
            #expect(fixture.store.common.namespaceNames == ["a"])
            #expect(fixture.store.userIDs == [])
            #expect(try fixture.store.purgeDryRun(.all).entries == 0)
        }

        @Test func valuesStayEncryptedThroughCompaction() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["a"]
            for index in 0..<2000 { try namespace.set("v\(index)", forKey: "k\(index)", options: .encrypted) }
            let before = try fixture.stored("k7", in: namespace)
            try fixture.store.engine.flush()
            for index in 1000..<2000 { try namespace.set("w\(index)", forKey: "k\(index)", options: .encrypted) }
            try fixture.store.engine.compact()
            #expect(try fixture.stored("k7", in: namespace) == before)
            for index in 0..<2000 {
                #expect(
                    try namespace.value(forKey: "k\(index)", as: String.self) == (index < 1000 ? "v" : "w") + "\(index)"
                )
            }
        }
    }
#endif
