#if Encryption
    import ShaleEngine
    import ShaleSimulation
    import ShaleVault
    import Testing

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

        @Test func whatHasReturnedIsThere() throws {
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
