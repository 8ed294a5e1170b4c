#if Encryption
    import ShaleEngine
    import ShaleSimulation
    import ShaleVault
    import TestSupport
    import Testing

    /// A vault's writes are durable when they return. A write or barrier whose sync fails throws, and so does every
    /// later one.
    ///
    /// Afterwards each secret has the value of the last returned write, or of the failed write.
    @Suite struct VaultBarrierTests {
        private static func open(_ files: SimulatedFileSystem, _ keys: KeySource) throws(StorageError) -> Vault {
            try Vault(at: "/vault", keys: keys, environment: EngineEnvironment(fileSystem: files, scheduling: .inline))
        }

        private static func failSyncs(_ files: SimulatedFileSystem, forever: Bool) {
            files.inject(
                FaultRule(on: .syncs, path: "/vault/*", when: .match(1), repeatsForever: forever, .error(5)))
        }

        @Test(arguments: [false, true]) func theBarrierThrowsAfterAFailedSync(forever: Bool) throws {
            let files = SimulatedFileSystem(seed: 3)
            let keys = KeySource.key(try SecretKey())
            let vault = try Self.open(files, keys)
            try vault.store("first", account: "ada", service: "s")
            try vault.synchronize()
            Self.failSyncs(files, forever: forever)
            let failed = code { () throws(StorageError) in
                try vault.store("second", account: "ada", service: "s", updateExisting: true)
            }
            #expect(failed == .indeterminate)
            // A successful sync after a failed one proves nothing: the kernel has dropped the pages that it could not
            // write.
            for _ in 0..<2 {
                #expect(code { () throws(StorageError) in try vault.synchronize() } == .poisoned)
                let next = code { () throws(StorageError) in try vault.store("x", account: "eve", service: "s") }
                #expect(next == .poisoned)
            }
            files.removeFaultRules()
            for crash in CrashKind.all {
                let again = try Self.open(crash.crash(files, seed: 1), keys)
                let password = try again.password(account: "ada", service: "s")
                #expect(password == "first" || password == "second", "\(crash.name)")
                #expect(try again.password(account: "eve", service: "s") == nil)
                try again.synchronize()
                try again.close()
            }
        }

        /// A barrier alone: no write depends on the failed sync, so no data is lost. The barrier must not report
        /// success after a failed sync.
        @Test func aBarrierWithoutWritesKeepsWhatIsThere() throws {
            let files = SimulatedFileSystem(seed: 3)
            let keys = KeySource.key(try SecretKey())
            let vault = try Self.open(files, keys)
            try vault.store("first", account: "ada", service: "s")
            Self.failSyncs(files, forever: true)
            let syncs = files.faultsFired.count
            let found = code { () throws(StorageError) in try vault.synchronize() }
            #expect((files.faultsFired.count > syncs) == (found != nil), "a sync that failed is told")
            #expect(try vault.password(account: "ada", service: "s") == "first")
            files.removeFaultRules()
            let again = try Self.open(files.crashClone(.dropAll), keys)
            #expect(try again.password(account: "ada", service: "s") == "first")
            try again.close()
        }
    }
#endif
