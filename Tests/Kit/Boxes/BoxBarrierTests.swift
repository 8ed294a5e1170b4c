#if Encryption
    import ShaleBoxes
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
            try box.synchronize()
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
            #expect(throws: StorageError.self) { try box.synchronize() }
        }
    }
#endif
