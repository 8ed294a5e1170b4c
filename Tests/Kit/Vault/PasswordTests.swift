#if Encryption
    import ShaleEncryption
    import Testing

    /// Passwords and the outcomes of their writes, the same with all back ends.
    @Suite struct PasswordTests {
        @Test(arguments: VaultKind.here) func absentIsNilAndStoredIsRead(_ kind: VaultKind) throws {
            let fixture = try VaultFixture(kind)
            try fixture.withVault { (vault) throws in
                #expect(try vault.password(account: "ada", service: "mail") == nil)
                #expect(try vault.store("one", account: "ada", service: "mail") == .stored)
                #expect(try vault.password(account: "ada", service: "mail") == "one")
            }
            try fixture.withVault { (box) throws in #expect(try box.password(account: "ada", service: "mail") == "one")
            }
        }

        @Test(arguments: VaultKind.here) func theOutcomeSaysWhatIsThere(_ kind: VaultKind) throws {
            let fixture = try VaultFixture(kind)
            try fixture.withVault { (vault) throws in
                try vault.store("one", account: "ada", service: "mail")
                #expect(try vault.store("one", account: "ada", service: "mail") == .unchanged)
                #expect(try vault.store("one", account: "ada", service: "mail", updateExisting: false) == .unchanged)
                #expect(try vault.store("two", account: "ada", service: "mail", updateExisting: false) == .kept)
                #expect(try vault.password(account: "ada", service: "mail") == "one")
                #expect(try vault.store("two", account: "ada", service: "mail") == .stored)
                #expect(try vault.password(account: "ada", service: "mail") == "two")
                #expect(try vault.store("x", account: "bob", service: "mail", updateExisting: false) == .stored)
            }
        }

        @Test(arguments: VaultKind.here) func deletingTellsWhetherItWasThere(_ kind: VaultKind) throws {
            let fixture = try VaultFixture(kind)
            try fixture.withVault { (vault) throws in
                try vault.store("one", account: "ada", service: "mail")
                #expect(try vault.deletePassword(account: "ada", service: "mail"))
                #expect(try !vault.deletePassword(account: "ada", service: "mail"))
                #expect(try vault.password(account: "ada", service: "mail") == nil)
            }
        }

        @Test(arguments: VaultKind.here) func accountAndServiceNeverRunIntoEachOther(_ kind: VaultKind) throws {
            let fixture = try VaultFixture(kind)
            try fixture.withVault { (vault) throws in
                let names = ["a", "b", "ab", "", "a/b", "a\0b", "\0", "..", "é", "e\u{301}", "👩‍👩‍👧"]
                for service in names {
                    for account in names {
                        #expect(try vault.store("\(service)|\(account)", account: account, service: service) == .stored)
                    }
                }
                for service in names {
                    for account in names {
                        #expect(try vault.password(account: account, service: service) == "\(service)|\(account)")
                    }
                    let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                    #expect(
                        try vault.accounts(service: service).map { Array($0.utf8) } == sorted.map { Array($0.utf8) })
                }
            }
        }

        @Test(arguments: VaultKind.here) func oneOfManyThreadsStores(_ kind: VaultKind) async throws {
            let fixture = try VaultFixture(kind)
            let vault = try fixture.open()
            let outcomes = try await withThrowingTaskGroup(of: SecretOutcome.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try vault.store("\(number)", account: "ada", service: "mail", updateExisting: false)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == .stored } == 1 && outcomes.count { $0 == .kept } == 7)
            try vault.close()
        }
    }
#endif
