#if Encryption
    import ShaleEncryption
    import TestSupport
    import Testing

    /// Batches, transactions, compare-and-set, typed keys and scans encrypt and decrypt as single calls do.
    @Suite struct EncryptedPathTests {
        @Test func batchesAndScansEncryptAndDecrypt() throws {
            let fixture = try EncryptedFixture()
            let a = fixture["a"]
            let b = fixture.store.user("u")["b"]
            try fixture.store.write { (batch) throws(StorageError) in
                for index in 0..<50 {
                    try batch.set(index, forKey: "k\(index)", in: a, index % 2 == 0 ? .encrypted : [])
                    try batch.set("v\(index)", forKey: "k\(index)", in: b, .encrypted)
                }
            }
            var sum = 0
            for entry in a.entries { sum += try entry.get().value(as: Int.self) }
            #expect(sum == 49 * 25)
            for entry in b.entries(prefix: "k1").reversed() {
                let entry = try entry.get()
                #expect(try entry.value(as: String.self) == "v" + entry.key.description.dropFirst())
                #expect(try entry.info().isEncrypted)
            }
        }

        @Test func transactionsSeeTheirOwnWrites() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["a"]
            try namespace.set(1, forKey: "n", .encrypted)
            try fixture.store.transaction { (transaction) throws(StorageError) in
                let old = try transaction.value(forKey: "n", in: namespace, as: Int.self) ?? 0
                try transaction.set(old + 1, forKey: "n", in: namespace, [.encrypted, .purgeable])
                let own = try transaction.value(forKey: "n", in: namespace, as: Int.self)
                #expect(own == 2)
            }
            #expect(try namespace.value(forKey: "n", as: Int.self) == 2)
            #expect(try namespace.compareAndSet(3, forKey: "n", expecting: 2, .encrypted))
            #expect(try !namespace.compareAndSet(4, forKey: "n", expecting: 2, .encrypted))
            #expect(try namespace.value(forKey: "n", as: Int.self) == 3)
            #expect(try namespace.info(forKey: "n")?.isEncrypted == true)
        }

        @Test func aDroppedNamespaceStartsWithAKeyOfItsOwn() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["a"]
            try namespace.set("old", forKey: "k", .encrypted)
            let old = try fixture.stored("k", in: namespace)
            try namespace.drop()
            #expect(try namespace.value(forKey: "k", as: String.self) == nil)
            try namespace.set("new", forKey: "k", .encrypted)
            #expect(try namespace.value(forKey: "k", as: String.self) == "new")
            try fixture.plant(old, forKey: "k", in: namespace)
            #expect(
                code { () throws(StorageError) in try namespace.object(forKey: "k") } == .authenticationFailed)
            try fixture.store.removeAll()
            try namespace.set("newer", forKey: "k", .encrypted)
            try fixture.reopen()
            #expect(try fixture["a"].value(forKey: "k", as: String.self) == "newer")
        }

        @Test func theStoresOwnNamespaceIsNoUsers() throws {
            let fixture = try EncryptedFixture()
            try fixture["a"].set("v", forKey: "k", .encrypted)
            #expect(fixture.store.common.namespaceNames == ["a"])
            #expect(fixture.store.userIDs == [])
            #expect(try fixture.store.purgeDryRun(.all).entries == 0)
        }

        @Test func valuesStayEncryptedThroughCompaction() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["a"]
            for index in 0..<2000 { try namespace.set("v\(index)", forKey: "k\(index)", .encrypted) }
            let before = try fixture.stored("k7", in: namespace)
            try fixture.store.engine.flush()
            for index in 1000..<2000 { try namespace.set("w\(index)", forKey: "k\(index)", .encrypted) }
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
