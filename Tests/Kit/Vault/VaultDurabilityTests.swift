#if Encryption
    import ShaleEngine
    import ShaleSimulation
    import ShaleEncryption
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
            try vault.sync()
            Self.failSyncs(files, forever: forever)
            let failed = code { () throws(StorageError) in
                try vault.store("second", account: "ada", service: "s", updateExisting: true)
            }
            #expect(failed == .indeterminate)
            // A successful sync after a failed one proves nothing: the kernel has dropped the pages that it could not
            // write.
            for _ in 0..<2 {
                #expect(code { () throws(StorageError) in try vault.sync() } == .poisoned)
                let next = code { () throws(StorageError) in try vault.store("x", account: "eve", service: "s") }
                #expect(next == .poisoned)
            }
            files.removeFaultRules()
            for crash in CrashKind.all {
                let again = try Self.open(crash.crash(files, seed: 1), keys)
                let password = try again.password(account: "ada", service: "s")
                #expect(password == "first" || password == "second", "\(crash.name)")
                #expect(try again.password(account: "eve", service: "s") == nil)
                try again.sync()
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
            let found = code { () throws(StorageError) in try vault.sync() }
            #expect((files.faultsFired.count > syncs) == (found != nil), "a sync that failed is reported")
            #expect(try vault.password(account: "ada", service: "s") == "first")
            files.removeFaultRules()
            let again = try Self.open(files.crashClone(.dropAll), keys)
            #expect(try again.password(account: "ada", service: "s") == "first")
            try again.close()
        }
    }

    /// A crash at any call, including the vault's first opening.
    ///
    /// The vault then opens with its key and has the results of all returned calls.
    @Suite struct VaultCrashTests {
        /// The steps. After a number of returned steps, an account's password is that of its last returned step, or of
        /// the next step.
        private static let steps: [(account: String, password: String?)] = [
            ("ada", "1"), ("bob", "2"), ("ada", "3"), ("bob", nil), ("eve", "4"), ("ada", nil),
        ]

        private static func open(_ files: SimulatedFileSystem, _ keys: KeySource) throws(StorageError) -> Vault {
            try Vault(at: "/vault", keys: keys, environment: EngineEnvironment(fileSystem: files, scheduling: .inline))
        }

        @Test func changesThatReturnedSurviveACrash() throws {
            let files = SimulatedFileSystem(seed: 6)
            let keys = KeySource.key(try SecretKey())
            var done = 0
            let crashes = try files.crashes(mark: { done }) {
                let vault = try Self.open(files, keys)
                for (account, password) in Self.steps {
                    if let password {
                        #expect(try vault.store(password, account: account, service: "s") == .stored)
                    } else {
                        #expect(try vault.deletePassword(account: account, service: "s"))
                    }
                    done += 1
                }
                try vault.close()
            }
            #expect(crashes.count > 200)
            #expect(crashes.failures { try Self.verify($0, keys) } == [])
        }

        /// The mark is the number of returned steps.
        private static func verify(_ crash: RecordedCrash<Int>, _ keys: KeySource) throws {
            let vault = try open(crash.files, keys)
            for account in ["ada", "bob", "eve"] {
                func password(after count: Int) -> String? {
                    steps.prefix(count).last { $0.account == account }?.password
                }
                let allowed = [password(after: crash.mark), password(after: crash.mark + 1)]
                #expect(allowed.contains(try vault.password(account: account, service: "s")), "\(crash.place)")
            }
            try vault.store("new", account: "zoe", service: "s")
            #expect(try vault.password(account: "zoe", service: "s") == "new")
            try vault.close()
        }
    }
#endif
