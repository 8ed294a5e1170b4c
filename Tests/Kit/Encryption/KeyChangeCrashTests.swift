#if Encryption
    import ShaleEncryption
    import ShaleSimulation
    import Testing

    /// Contract S-7: a crash at any call during a change of keys.
    ///
    /// One of the two master keys opens the store, every value is there, and the change can be finished.
    @Suite struct KeyChangeCrashTests {
        private static let entries = 12

        /// Returns the states that crashes during `change` leave.
        private func crashes(during change: (Store) throws -> Void) throws -> [RecordedCrash<Void>] {
            let files = SimulatedFileSystem(seed: 5)
            let store = try files.openStore()
            for index in 0..<Self.entries { try store.common["n"].set("v\(index)", forKey: "k\(index)", .encrypted) }
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
                try store.common["m"].set(1, forKey: "k", .encrypted)
                try store.close()
            }
            #expect(opened[false] ?? 0 > 0 && opened[true] ?? 0 > 0)
        }
    }
#endif
