#if Encryption
    import ShaleKit
    import ShaleSimulation
    import Testing

    /// Writes go through at once, and a barrier reports when it can't guarantee durability.
    @Suite struct BoxBarrierTests {
        @Test func aKilledProcessLosesNothing() throws {
            let files = SimulatedFileSystem(seed: 2)
            let fixture = BoxFixture(files)
            let vault = try fixture.openVault()
            let box = try fixture.openBox(vault)
            for scope in BoxScope.allCases { try box.compartment("Session", scope).set("x", forKey: "k") }
            let left = files.crashClone(.processKill)
            try BoxFixture(left).launch { (box) throws in
                for scope in BoxScope.allCases {
                    #expect(try box.compartment("Session", scope).value(forKey: "k", as: String.self) == "x")
                }
            }
            try box.close()
            try vault.close()
        }

        @Test func afterTheBarrierALossOfPowerTakesNothing() throws {
            let files = SimulatedFileSystem(seed: 2)
            let fixture = BoxFixture(files)
            let vault = try fixture.openVault()
            let box = try fixture.openBox(vault)
            for scope in BoxScope.allCases { try box.compartment("Session", scope).set("x", forKey: "k") }
            try box.sync()
            try BoxFixture(files.crashClone(.dropAll)).launch { (box) throws in
                for scope in BoxScope.allCases {
                    #expect(try box.compartment("Session", scope).value(forKey: "k", as: String.self) == "x")
                }
            }
            try box.close()
            try vault.close()
        }

        @Test func aBarrierThatFailsThrows() throws {
            let files = SimulatedFileSystem(seed: 2)
            let fixture = BoxFixture(files)
            let vault = try fixture.openVault()
            let box = try fixture.openBox(vault)
            try box.compartment("Session", .standard).set("x", forKey: "k")
            files.inject(FaultRule(on: [.sync], path: "/data/*", when: .always, repeatsForever: true, .error(5)))
            #expect(throws: StorageError.self) { try box.sync() }
        }
    }

    /// A crash at any call of the first launch after a reinstallation.
    ///
    /// The next launch finds no restricted value of the old installation, all values of the vault, and everything that
    /// the new installation made durable.
    @Suite struct InstallationCrashTests {
        private static func fill(_ box: DataBox, _ value: String) throws {
            for scope in [BoxScope.vault, .restricted] {
                try box.compartment("Session", scope).set(value, forKey: value)
                try box.compartment("Session", scope, per: "ada").set(value, forKey: value)
            }
        }

        @Test func aCrashInBetweenBringsNothingBack() throws {
            let files = SimulatedFileSystem(seed: 5)
            let fixture = BoxFixture(files)
            try fixture.launch { try Self.fill($0, "old") }
            try fixture.uninstall()
            var isWritten = false
            let crashes = try files.crashes(mark: { isWritten }) {
                try fixture.launch { (box) throws in
                    try Self.fill(box, "new")
                    isWritten = true
                }
            }
            #expect(crashes.count > 250)
            #expect(crashes.failures { try Self.verify($0) } == [])
        }

        private static func verify(_ crash: RecordedCrash<Bool>) throws {
            try BoxFixture(crash.files).launch { (box) throws in
                for user in [nil, "ada"] {
                    func value(_ scope: BoxScope, _ key: String) throws -> String? {
                        let compartment =
                            user.map { box.compartment("Session", scope, per: $0) } ?? box.compartment("Session", scope)
                        return try compartment.value(forKey: key, as: String.self)
                    }
                    #expect(try value(.restricted, "old") == nil, "\(crash.place)")
                    #expect(try value(.vault, "old") == "old", "\(crash.place)")
                    // The mark is true if everything was written.
                    guard crash.mark else { continue }
                    #expect(try value(.vault, "new") == "new", "\(crash.place)")
                    #expect(try value(.restricted, "new") == "new", "\(crash.place)")
                }
            }
        }
    }
#endif
