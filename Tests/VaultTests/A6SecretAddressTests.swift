#if Encryption
    import ShaleVault
    import TestSupport
    import Testing

    /// A6: values at addresses; what is below a path goes with it and nothing else does.
    @Suite struct A6SecretAddressTests {
        private struct Token: Codable, Equatable { var text: String, until: Int? }

        @Test func valuesOfAnyTypeComeBack() throws {
            let fixture = try VaultFixture()
            try fixture.withVault { (vault) throws in
                func roundTrips<T: Codable & Equatable>(_ value: T) throws -> Bool {
                    let address = SecretAddress(["app"], EntryKey("\(T.self)"))
                    try vault.set(value, at: address)
                    return try vault.value(at: address, as: T.self) == value
                }
                #expect(try roundTrips(7) && roundTrips("text") && roundTrips(true) && roundTrips(2.5))
                #expect(try roundTrips(Token(text: "t", until: nil)) && roundTrips(["a": [1, 2]]))
                let address = SecretAddress(["app"], "Int")
                #expect(
                    code { () throws(StorageError) in try vault.value(at: address, as: String.self) } == .typeMismatch)
                try vault.set(nil as Int?, at: address)
                #expect(try vault.value(at: address, as: Int.self) == nil)
                #expect(try !vault.remove(at: address))
            }
        }

        @Test func removingAPathTakesWhatIsBelowIt() throws {
            let fixture = try VaultFixture()
            try fixture.withVault { (vault) throws in
                let paths: [[EntryKey]] = [["a"], ["a", "b"], ["a", "b", "c"], ["ab"], ["a", "bc"], ["b"]]
                for path in paths {
                    try vault.set(1, at: SecretAddress(path, "x"))
                    try vault.set(2, at: SecretAddress(path, "y"))
                }
                #expect(try vault.removeAll(below: ["a", "b"]) == 4)
                func isThere(_ path: [EntryKey]) throws -> Bool {
                    try vault.value(at: SecretAddress(path, "x"), as: Int.self) == 1
                }
                #expect(try paths.map(isThere) == [true, false, false, true, true, true])
                #expect(code { () throws(StorageError) in try vault.removeAll(below: []) } == .invalidArgument)
            }
        }

        @Test func oneChildOfAPathIsKept() throws {
            let fixture = try VaultFixture()
            try fixture.withVault { (vault) throws in
                // So many that some tags lie before that of the one that stays, and some behind it.
                for number in 0..<20 {
                    try vault.set(number, at: SecretAddress(["a", EntryKey("\(number)"), "user"], "x"))
                }
                try vault.set(1, at: SecretAddress(["a"], "right here"))
                try vault.set(1, at: SecretAddress(["b"], "elsewhere"))
                #expect(try vault.backend.removeSecrets(below: ["a"], keeping: "7") == 20)
                for number in 0..<20 {
                    let value = try vault.value(
                        at: SecretAddress(["a", EntryKey("\(number)"), "user"], "x"), as: Int.self)
                    #expect(value == (number == 7 ? 7 : nil))
                }
                #expect(try vault.value(at: SecretAddress(["b"], "elsewhere"), as: Int.self) == 1)
            }
        }
    }
#endif
