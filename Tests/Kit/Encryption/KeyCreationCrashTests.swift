#if Encryption
    import ShaleEncryption
    import ShaleSimulation
    import Testing

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
                        try store.common[name].set("\(name)\(key)", forKey: key, .encrypted, durability: .synced)
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
            try store.common["a"].set("again", forKey: "3", .encrypted)
            #expect(try store.common["a"].value(forKey: "3", as: String.self) == "again")
            try store.close()
        }
    }
#endif
