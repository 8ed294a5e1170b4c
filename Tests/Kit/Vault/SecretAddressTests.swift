#if Encryption
    import ShaleEncryption
    import TestSupport
    import Testing

    /// Values at addresses. Removing a path removes the values below it and no others, with all back ends.
    @Suite struct SecretAddressTests {
        private struct Token: Codable, Equatable { var text: String, until: Int? }

        @Test(arguments: VaultKind.here) func valuesOfAnyTypeComeBack(_ kind: VaultKind) throws {
            let fixture = try VaultFixture(kind)
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

        @Test(arguments: VaultKind.here) func anyBytesAreASecretAndAnAddress(_ kind: VaultKind) throws {
            let fixture = try VaultFixture(kind)
            try fixture.withVault { (vault) throws in
                let emoji = EntryKey(String(repeating: "🙂", count: 10_000))
                let names: [EntryKey] = ["", "..", "a/b", "%2f", EntryKey(Array(0...255)), emoji]
                let secrets: [[UInt8]] = [
                    [], [0], Array(0...255), [UInt8](repeating: 0, count: 1000), [10, 13, 0, 255],
                ]
                for name in names {
                    for path in [[], [name], ["a", name, ""]] {
                        let address = SecretAddress(path, name)
                        for secret in secrets {
                            #expect(try vault.backend.store(secret, at: address, replacing: true) == .stored)
                            #expect(try vault.backend.secret(at: address) == secret)
                        }
                    }
                }
                for name in names {
                    #expect(
                        try vault.backend.addresses(at: ["a", name, ""]) == [SecretAddress(["a", name, ""], name)])
                }
                #expect(try vault.backend.addresses(at: []).map(\.name) == names.sorted())
                #expect(try vault.backend.removeSecrets(below: [emoji], keeping: nil) == 1)
                #expect(try vault.backend.removeSecrets(below: ["a"], keeping: emoji) == names.count - 1)
                #expect(try vault.backend.removeSecret(at: SecretAddress(["a", emoji, ""], emoji)))
                try vault.sync()
            }
        }

        @Test(arguments: VaultKind.here) func removingAPathTakesWhatIsBelowIt(_ kind: VaultKind) throws {
            let fixture = try VaultFixture(kind)
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

        @Test(arguments: VaultKind.here) func oneChildOfAPathIsKept(_ kind: VaultKind) throws {
            let fixture = try VaultFixture(kind)
            try fixture.withVault { (vault) throws in
                // Enough values that some tags come before the tag of the kept one, and some after it.
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

        @Test(arguments: VaultKind.here) func aClosedVaultSaysSo(_ kind: VaultKind) throws {
            let fixture = try VaultFixture(kind)
            let vault = try fixture.open()
            try vault.set(1, at: SecretAddress(["a"], "x"))
            try vault.close()
            try vault.close()
            let address = SecretAddress(["a"], "x")
            #expect(code { () throws(StorageError) in try vault.value(at: address, as: Int.self) } == .closed)
            #expect(code { () throws(StorageError) in try vault.set(2, at: address) } == .closed)
            let again = try fixture.open()
            #expect(try again.value(at: address, as: Int.self) == 1)
            try again.close()
        }
    }
#endif
