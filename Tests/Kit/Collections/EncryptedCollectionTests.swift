#if Encryption
    import Foundation
    import Shale
    import ShaleBase
    import ShaleCollections
    import ShaleEncryption
    import ShaleMaintenance
    import TestSupport
    import Testing

    /// Indexes over encrypted records: collections.md, section 3, "Keys are never encrypted: an index over an encrypted
    /// field would leak it. Equality through a keyed hash, or refused; ranges refused".
    @Suite struct EncryptedCollectionTests {
        private let fixture: CollectionFixture

        init() throws {
            let encryption = StoreEncryption.aes256GCM(.key(try SecretKey()))
            fixture = try CollectionFixture { $0.encryption = encryption }
        }

        /// A collection in a namespace that encrypts by default.
        private func people(
            _ name: String = "secret", onDifference: RecordCollection<Person>.SchemaChange = .refuse
        ) throws(StorageError) -> RecordCollection<Person> {
            let namespace = fixture.store.common[name]
            if try !namespace.options.isEncrypted { try namespace.setOptions(NamespaceOptions(isEncrypted: true)) }
            return try RecordCollection(Person.schema, in: namespace, onDifference: onDifference)
        }

        private func filled(_ name: String = "secret") throws -> RecordCollection<Person> {
            let people = try people(name)
            try people.insert(contentsOf: (0..<60).map(Person.numbered))
            return people
        }

        /// The keys of all indexes of a collection, without the primary keys behind the hashes.
        private func hashes(_ people: RecordCollection<Person>) throws -> Set<[UInt8]> {
            var found: Set<[UInt8]> = []
            let root = people.namespace.child(".index")
            for name in root.childNames {
                for key in try root.child(name).keys.array() { found.insert(Array(key.bytes.prefix(16))) }
            }
            return found
        }

        @Test func equalityIsServedByKeyedHashes() throws {
            let people = try filled()
            let lund = people.query(#Predicate { $0.city == "Lund" })
            #expect(try lund.explain().source == .index)
            #expect(try lund.records().map(\.id) == (0..<60).filter { $0 % 3 != 0 })
            #expect(try lund.count() == 40)
            let both = people.query(#Predicate { $0.city == "Oslo" && $0.name == "n3" })
            #expect(try both.explain().indexes == ["byCity"])
            #expect(try both.explain().recordsRead == both.count())
            #expect(try people.query(#Predicate { $0.email == nil }).explain().source == .index)
            #expect(try people.find(\.email, "e8@example.org")?.id == 8)
            #expect(try people.find(\.email, "e9@example.org") == nil)
            #expect(try people.verify().isSound)
            #expect(try people.verify().entries == 240)
        }

        @Test func rangesPrefixesAndOrdersAreAnsweredByReading() throws {
            let people = try filled()
            for query in [
                people.query(#Predicate { $0.age > 50 }), people.query(#Predicate { $0.city.starts(with: "O") }),
                people.query(#Predicate { $0.email != nil }),
            ] {
                #expect(try query.explain().source == .allRecords)
                #expect(try query.count() == query.records().count)
            }
            let ordered = people.query().ordered(by: .ascending(\.age), .descending(\.name)).limit(7)
            #expect(try ordered.explain().source == .allRecords)
            #expect(try ordered.explain().isSorted)
            #expect(try ordered.records().map(\.age) == Array(0..<7))
            let behind = people.query(#Predicate { $0.city == "Lund" }).ordered(by: .descending(\.name))
            #expect(try behind.explain().source == .index)
            #expect(try behind.explain().isSorted)
        }

        @Test func uniqueFieldsOfEncryptedRecordsAreUnique() throws {
            let people = try filled()
            let found = violation { () throws(StorageError) in
                try people.insert(Person(id: 100, name: "n", email: "e8@example.org", age: 1))
            }
            #expect(found?.field == "email")
            try people.delete(RecordKey(8))
            try people.insert(Person(id: 100, name: "n", email: "e8@example.org", age: 1))
            #expect(try people.find(\.email, "e8@example.org")?.id == 100)
            for id in 200..<203 { try people.insert(Person(id: id, name: "n", age: 1)) }
            let long = String(repeating: "a", count: 20_000)
            try people.insert(Person(id: 300, name: "n", email: long + "1", age: 1))
            try people.insert(Person(id: 301, name: "n", email: long + "2", age: 1))
            #expect(try people.find(\.email, long + "2")?.id == 301)
            #expect(try people.verify().isSound)
        }

        @Test func noFileOfAnIndexContainsAValue() throws {
            let people = try people()
            try people.insert(Person(id: 1, name: "Confidential", email: "ada@example.org", age: 77, city: "Lund"))
            let root = people.namespace.child(".index")
            for name in root.childNames {
                for entry in try root.child(name).entries.array() {
                    let bytes = entry.key.bytes + (try entry.value(as: [UInt8].self))
                    for secret in ["Confidential", "ada@", "Lund"] {
                        #expect(Data(bytes).range(of: Data(secret.utf8)) == nil)
                    }
                }
            }
            let secrets = try people.namespace.child(".schema").keys(prefix: "secret.").array()
            #expect(secrets.count == 4)
            for key in secrets {
                #expect(try people.namespace.child(".schema").info(forKey: key)?.isEncrypted == true)
            }
        }

        @Test func equalValuesOfTwoIndexesOrUsersHaveDifferentHashes() throws {
            // Two indexes and two columns with one value.
            let schema = RecordSchema<Note>(
                "notes", fields: [RecordField("text", \.text)],
                indexes: [RecordIndex("a", .ascending(\.text)), RecordIndex("b", .ascending(\.text))])
            var all: [Set<[UInt8]>] = []
            for user in ["u", "v"] {
                let namespace = fixture.store.user(user)["notes"]
                try namespace.setOptions(NamespaceOptions(isEncrypted: true))
                let notes = try RecordCollection(schema, in: namespace)
                for _ in 0..<3 { try notes.insert(Note(text: "same")) }
                var hashes: Set<[UInt8]> = []
                for name in namespace.child(".index").childNames {
                    let keys = try namespace.child(".index").child(name).keys.array()
                    // Equal values of one index are recognisable, which the documentation says.
                    #expect(Set(keys.map { Array($0.bytes.prefix(16)) }).count == 1)
                    for key in keys { hashes.insert(Array(key.bytes.prefix(16))) }
                }
                #expect(hashes.count == 2)
                all.append(hashes)
            }
            #expect(all[0].isDisjoint(with: all[1]))
        }

        @Test func changesOfKeysLeaveIndexesRight() throws {
            let people = try filled()
            let before = try hashes(people)
            try fixture.store.changeDataKeys()
            let second = KeySource.key(try SecretKey())
            try fixture.store.changeMasterKey(to: second)
            #expect(try people.find(\.email, "e8@example.org")?.id == 8)
            try fixture.reopen { $0.encryption = .aes256GCM(second) }
            let again = try self.people()
            #expect(try again.find(\.email, "e8@example.org")?.id == 8)
            #expect(try again.query(#Predicate { $0.city == "Lund" }).count() == 40)
            #expect(try again.verify().isSound)
            #expect(try hashes(again) == before)
            // A rebuilt index has a new secret, so that known hashes say nothing any more.
            try again.rebuildIndexes()
            #expect(try hashes(again).isDisjoint(with: before))
            #expect(try again.verify().isSound)
            #expect(try again.namespace.child(".schema").keys(prefix: "secret.").count() == 4)
        }

        @Test func aStoreWithoutItsKeyOpensNoEncryptedCollection() throws {
            _ = try filled()
            try fixture.reopen { $0.encryption = nil }
            let found = code { () throws(StorageError) in
                try RecordCollection(Person.schema, in: fixture.store.common["secret"])
            }
            #expect(found == .cipherMismatch)
        }

        @Test func aSecretThatIsNotEncryptedIsRefused() throws {
            let people = try filled()
            let meta = people.namespace.child(".schema")
            let key = try #require(try meta.keys(prefix: "secret.").first())
            try meta.set([UInt8](repeating: 1, count: 33), forKey: key, options: .notEncrypted)
            try fixture.reopen()
            #expect(code { () throws(StorageError) in try self.people() } == .authenticationFailed)
        }

        @Test func encryptedRecordsNeedAnIndexThatHidesThem() throws {
            let plain = try fixture.people()
            let refused = code { () throws(StorageError) in
                try plain.insert(Person(id: 1, name: "a", age: 1), options: .encrypted)
            }
            #expect(refused == .cipherMismatch)
            var schema = RecordSchema<Person>(
                "hidden", key: \.id, fields: Person.schema.fields, indexes: Person.schema.indexes)
            schema.hidesIndexedValues = true
            let hidden = try fixture.store.common.collection(schema)
            try hidden.insert(Person(id: 1, name: "a", email: "x", age: 1), options: .encrypted)
            try hidden.insert(Person(id: 2, name: "a", email: "y", age: 1))
            #expect(try hidden.query(#Predicate { $0.age == 1 }).records().map(\.id) == [1, 2])
            #expect(try hidden.query(#Predicate { $0.age == 1 }).explain().source == .index)
            try hidden.modify(RecordKey(1)) { $0.age = 2 }
            #expect(try hidden.namespace.info(forKey: RecordKey(1).bytes)?.isEncrypted == true)
            let taken = violation { () throws(StorageError) in
                try hidden.insert(Person(id: 3, name: "b", email: "x", age: 1))
            }
            #expect(taken?.field == "email")
            #expect(try hidden.verify().isSound)
        }

        @Test func anIndexThatIsAddedOverEncryptedRecordsHidesThem() throws {
            let fields = [RecordField("id", \Person.id), RecordField("age", \.age)]
            let bare = try fixture.store.common.collection(RecordSchema<Person>("p", key: \.id, fields: fields))
            try bare.insert(contentsOf: (0..<5).map(Person.numbered), options: .encrypted)
            var schema = RecordSchema<Person>(
                "p", key: \.id, fields: fields, indexes: [RecordIndex("byAge", .ascending(\.age))])
            let shown = try fixture.store.common.collection(schema, onDifference: .adopt)
            #expect(code { () throws(StorageError) in try shown.migrate() } == .cipherMismatch)
            let refused = code { () throws(StorageError) in try shown.modify(RecordKey(1)) { $0.age = 9 } }
            #expect(refused == .cipherMismatch)
            let root = shown.namespace.child(".index")
            for name in root.childNames { #expect(try root.child(name).count() == 0) }
            schema.hidesIndexedValues = true
            #expect(code { () throws(StorageError) in try fixture.store.common.collection(schema) } == .cipherMismatch)
            let hidden = try fixture.store.common.collection(schema, onDifference: .adopt)
            try hidden.migrate()
            #expect(try hidden.query(#Predicate { $0.age == 3 }).explain().source == .index)
            #expect(try hidden.query(#Predicate { $0.age == 3 }).count() == 1)
            #expect(try hidden.verify().isSound)
        }

        @Test func aNamespaceThatBeginsToEncryptGetsNewIndexes() throws {
            let namespace = fixture.store.common["later"]
            let plain = try RecordCollection(Person.schema, in: namespace)
            try plain.insert(contentsOf: (0..<60).map(Person.numbered))
            try namespace.setOptions(NamespaceOptions(isEncrypted: true))
            let refused = code { () throws(StorageError) in try plain.insert(Person.numbered(100)) }
            #expect(refused == .cipherMismatch)
            #expect(code { () throws(StorageError) in try RecordCollection(Person.schema, in: namespace) } != nil)
            let hidden = try people("later", onDifference: .adopt)
            try hidden.migrate()
            try hidden.insert(Person.numbered(100))
            #expect(try hidden.query(#Predicate { $0.city == "Lund" }).explain().source == .index)
            #expect(try hidden.query(#Predicate { $0.age > 50 }).explain().source == .allRecords)
            #expect(try hidden.verify().isSound)
        }

        @Test func aDecryptedDumpIsEncryptedAgainWhenItIsLoaded() throws {
            let people = try filled()
            var options = NamespaceDumpOptions(includesSubtree: true, decryptsValues: true)
            var dump: [UInt8] = []
            try Maintenance.dump(
                people.namespace, options: options,
                to: { (lines) throws(StorageError) in dump.append(lines) })
            options.decryptsValues = false
            #expect(
                code { () throws(StorageError) in
                    try Maintenance.dump(people.namespace, options: options, to: { (_) in })
                } == .cipherMismatch)
            var rest = dump
            try Maintenance.load(into: fixture.store.common["copy"]) { () throws(StorageError) in
                defer { rest = [] }
                return rest
            }
            let copy = try self.people("copy")
            #expect(try copy.find(\.email, "e8@example.org")?.id == 8)
            #expect(try copy.verify().isSound && copy.verify().entries == 240)
            for key in try copy.namespace.child(".schema").keys(prefix: "secret.").array() {
                #expect(try copy.namespace.child(".schema").info(forKey: key)?.isEncrypted == true)
            }
            #expect(try copy.namespace.info(forKey: RecordKey(8).bytes)?.isEncrypted == true)
        }

        @Test func theKeyOfARecordStaysPlain() throws {
            let people = try filled()
            #expect(try people.query(#Predicate { $0.id >= 50 }).explain().source == .primaryKey)
            let keys = try (0..<60).map { try RecordKey($0).bytes }
            #expect(try people.namespace.keys.array().map(\.bytes) == keys)
        }
    }
#endif
