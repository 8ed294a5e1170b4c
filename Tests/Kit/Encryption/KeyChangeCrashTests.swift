#if Encryption
    import Foundation
    import ShaleEncryption
    import ShaleSimulation
    import Testing

    /// A crash at any call during a change of keys.
    ///
    /// One of the two master keys opens the store, every value is there, and the change can be finished.
    @Suite struct KeyChangeCrashTests {
        private static let entries = 12

        /// Returns the states that crashes during `change` leave.
        private func crashes(during change: (Store) throws -> Void) throws -> [RecordedCrash<Void>] {
            let files = SimulatedFileSystem(seed: 5)
            let store = try files.openStore()
            for index in 0..<Self.entries {
                try store.common["n"].set("v\(index)", forKey: "k\(index)", options: .encrypted)
            }
            try store.sync()
            let crashes = try files.crashes { try change(store) }
            try store.close()
            return crashes
        }

        private func expectValues(_ store: Store, _ place: String) throws {
            for index in 0..<Self.entries {
                #expect(try store.common["n"].value(forKey: "k\(index)", as: String.self) == "v\(index)", "\(place)")
            }
        }

        @Test func aCrashWhileADataKeyIsChanged() throws {
            let crashes = try crashes { try $0.common["n"].changeDataKey() }
            #expect(crashes.count > 20)
            for crash in crashes {
                let store = try crash.files.openStore()
                try expectValues(store, crash.place)
                let namespace = store.common["n"]
                if try namespace.hasUnfinishedKeyChange {
                    let report = try namespace.changeDataKey()
                    #expect(report.isResumed, "\(crash.place)")
                }
                #expect(try !namespace.hasUnfinishedKeyChange)
                try expectValues(store, crash.place)
                try store.close()
            }
        }

        @Test func aCrashWhileTheMasterKeyIsChanged() throws {
            let crashes = try crashes { try $0.changeMasterKey(to: KeySource.key(TestKeys.second)) }
            #expect(crashes.count > 10)
            var opened: [Bool: Int] = [:]
            for crash in crashes {
                let (store, isNew) = try crash.files.openStoreWithEither()
                opened[isNew, default: 0] += 1
                try expectValues(store, crash.place)
                try store.common["m"].set(1, forKey: "k", options: .encrypted)
                try store.close()
            }
            #expect(opened[false] ?? 0 > 0 && opened[true] ?? 0 > 0)
        }
    }

    /// A writer, a reader and changes of both keys at once: no write is lost and no value becomes unreadable.
    @Suite struct KeyChangeRaceTests {
        private static let keys = 60

        private static func write(_ namespace: Store.Namespace, _ store: Store) throws {
            for round in 1...60 {
                for index in 0..<keys {
                    try namespace.set(round, forKey: "k\(index)", options: .encrypted)
                    #expect(try namespace.value(forKey: "k\(index)", as: Int.self) == round)
                }
                try store.write { (batch) throws(StorageError) in
                    try batch.set(round, forKey: "b", in: namespace, options: .encrypted)
                }
            }
        }

        private static func changeKeys(_ namespace: Store.Namespace, _ store: Store) throws {
            for round in 0..<6 {
                try namespace.changeDataKey()
                try store.changeMasterKey(to: KeySource.key(round % 2 == 0 ? TestKeys.second : TestKeys.first))
            }
        }

        @Test func writersGoOnMeanwhile() async throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["n"]
            let store = fixture.store
            for index in 0..<Self.keys { try namespace.set(0, forKey: "k\(index)", options: .encrypted) }
            async let writer: Void = Self.write(namespace, store)
            async let changer: Void = Self.changeKeys(namespace, store)
            _ = try await (writer, changer)
            try fixture.reopen(.first)
            #expect(
                try fixture["n"].entries.array().map { try $0.value(as: Int.self) } == .init(repeating: 60, count: 61))
            #expect(try !fixture["n"].hasUnfinishedKeyChange)
        }
    }

    /// A crash at any call during the creation of keys.
    ///
    /// The store opens with its key, reads every durable value and continues to encrypt. No value loses its key.
    @Suite struct KeyCreationCrashTests {
        @Test func aCrashAtAnyCallKeepsKeysAndValues() throws {
            let files = SimulatedFileSystem(seed: 3)
            var synced: [String] = []
            let crashes = try files.crashes(mark: { synced }) {
                let store = try files.openStore()
                for name in ["a", "b"] {
                    for key in ["1", "2"] {
                        try store.common[name].set(
                            "\(name)\(key)", forKey: key, options: .encrypted, durability: .synced)
                        synced.append(name + key)
                    }
                }
                try store.close()
            }
            #expect(crashes.count > 200)
            #expect(crashes.failures { try Self.verify($0.files, $0.mark) } == [])
        }

        private static func verify(_ files: SimulatedFileSystem, _ synced: [String]) throws {
            let store = try files.openStore()
            for name in ["a", "b"] {
                for key in ["1", "2"] {
                    let value = try store.common[name].value(forKey: key, as: String.self)
                    #expect(value == nil || value == name + key)
                    if synced.contains(name + key) { #expect(value != nil) }
                }
            }
            try store.common["a"].set("again", forKey: "3", options: .encrypted)
            #expect(try store.common["a"].value(forKey: "3", as: String.self) == "again")
            try store.close()
        }
    }
#endif
