#if Encryption
    import Foundation
    import TestSupport
    import Testing

    @testable import ShaleKit

    /// Six places, each of which keeps its values for the right time and the right user.
    @Suite struct BoxScopeTests {
        private static let places: [(scope: BoxScope, user: String?)] = BoxScope.allCases.flatMap { scope in
            [nil, "ada", "bob"].map { (scope, $0) }
        }

        private func compartment(_ box: DataBox, _ place: (scope: BoxScope, user: String?)) -> Compartment {
            guard let user = place.user else { return box.compartment("Session", place.scope) }
            return box.compartment("Session", place.scope, per: user)
        }

        @Test func noTwoPlacesShareAKey() throws {
            let fixture = BoxFixture()
            try fixture.launch { (box) throws in
                for (number, place) in Self.places.enumerated() {
                    try compartment(box, place).set(number, forKey: "k")
                    try box.compartment("Other", place.scope).set("another", forKey: "k")
                }
            }
            try fixture.launch { (box) throws in
                for (number, place) in Self.places.enumerated() {
                    #expect(try compartment(box, place).value(forKey: "k", as: Int.self) == number)
                }
            }
        }

        @Test func aReinstallationKeepsTheVaultOnly() throws {
            let fixture = BoxFixture()
            try fixture.launch { (box) throws in
                for place in Self.places { try compartment(box, place).set("old", forKey: "k") }
            }
            try fixture.uninstall()
            try fixture.launch { (box) throws in
                for place in Self.places {
                    let expected = place.scope == .vault ? "old" : nil
                    #expect(try compartment(box, place).value(forKey: "k", as: String.self) == expected, "\(place)")
                }
            }
            #expect(try fixture.restrictedCount() == 0, "what can't be read is erased, shared and per user")
        }

        @Test func removingAUserTakesAllThatItHas() throws {
            let fixture = BoxFixture()
            try fixture.launch { (box) throws in
                for place in Self.places { try compartment(box, place).set("x", forKey: "k") }
                try box.removeUser("ada")
                for place in Self.places {
                    let value = try compartment(box, place).value(forKey: "k", as: String.self)
                    #expect(value == (place.user == "ada" ? nil : "x"), "\(place)")
                }
            }
        }

        @Test func noUserIsAnErrorAndMakesNothing() throws {
            let fixture = BoxFixture()
            try fixture.launch { (box) throws in
                for scope in BoxScope.allCases {
                    let compartment = box.compartment("Session", scope, per: nil)
                    #expect(code { () throws(StorageError) in try compartment.set(1, forKey: "k") } == .noCurrentUser)
                    #expect(
                        code { () throws(StorageError) in try compartment.value(forKey: "k", as: Int.self) }
                            == .noCurrentUser)
                    #expect(code { () throws(StorageError) in try compartment.remove("k") } == .noCurrentUser)
                    let empty = box.compartment("Session", scope, per: "")
                    #expect(code { () throws(StorageError) in try empty.set(1, forKey: "k") } == .invalidArgument)
                    #expect(try box.compartment("Session", scope).value(forKey: "k", as: Int.self) == nil)
                }
                #expect(box.store.userIDs.isEmpty && box.store.common.namespaceNames.isEmpty)
            }
        }

        @Test func nilRemovesAndTypesAreKept() throws {
            let fixture = BoxFixture()
            try fixture.launch { (box) throws in
                for place in Self.places {
                    let compartment = compartment(box, place)
                    try compartment.set(["a": 1.5], forKey: "k")
                    #expect(try compartment.value(forKey: "k", as: [String: Double].self) == ["a": 1.5])
                    #expect(
                        code { () throws(StorageError) in try compartment.value(forKey: "k", as: Int.self) }
                            == .typeMismatch)
                    try compartment.set(nil as Int?, forKey: "k")
                    #expect(try compartment.value(forKey: "k", as: Int.self) == nil)
                    try compartment.set(1, forKey: "k")
                    try compartment.removeAll()
                    #expect(try compartment.value(forKey: "k", as: Int.self) == nil)
                }
            }
        }

        @Test func aRestrictedValueBelongsToItsAddressAndGeneration() throws {
            let fixture = BoxFixture()
            let vault = try fixture.openVault()
            let box = try fixture.openBox(vault)
            try box.compartment("Session", .restricted).set("secret", forKey: "a")
            let path: [EntryKey] = [
                "box", "app", "restricted", EntryKey(try box.store.installGeneration().id), "shared", "Session",
            ]
            let sealed = try #require(try vault.backend.secret(at: SecretAddress(path, "a")))
            // An attacker with the vault and its key moves the value to another key, or changes a bit.
            _ = try vault.backend.store(sealed, at: SecretAddress(path, "b"), replacing: true)
            var changed = sealed
            changed[changed.count - 1] ^= 1
            _ = try vault.backend.store(changed, at: SecretAddress(path, "a"), replacing: true)
            for key in ["a", "b"] {
                #expect(
                    code { () throws(StorageError) in
                        try box.compartment("Session", .restricted).value(forKey: key, as: String.self)
                    } == .authenticationFailed)
            }
            try box.close()
            try vault.close()
        }
    }

    /// A vault must be outside the data directory, because otherwise it would not survive a reinstallation.
    @Suite struct VaultPlaceTests {
        @Test func aVaultInTheDataDirectoryIsRefused() throws {
            let folder = FileManager.default.temporaryDirectory.path + "/shale-place-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: folder + "/data", withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/data")
            // Directly, and through a link.
            for place in ["/data/vault", "/link/vault"] {
                let vault = try Vault(at: folder + place, keys: .key(try SecretKey()))
                let found = code { () throws(StorageError) in
                    try DataBox(at: folder + "/data", application: "app", vault: vault)
                }
                #expect(found == .invalidArgument)
                try vault.close()
                try FileManager.default.removeItem(atPath: folder + "/data/vault")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/data") == [])
            // A vault beside the data directory is allowed, even if the names begin alike.
            let vault = try Vault(at: folder + "/data-vault", keys: .key(try SecretKey()))
            try DataBox(at: folder + "/data", application: "app", vault: vault).close()
            try vault.close()
            try FileManager.default.removeItem(atPath: folder)
        }
    }

    /// Reading restricted values requires the secret of their generation, besides everything else.
    @Suite struct InstallationSealTests {
        @Test func onlyItsGenerationOpensIt() throws {
            let (secret, other) = (try SecretKey(), try SecretKey())
            let (id, address) = ([UInt8](repeating: 1, count: 16), SecretAddress(["a"], "b"))
            let seal = try GenerationSeal(id: id, secret: secret)
            let sealed = try seal.sealed([1, 2, 3], at: address)
            #expect(try seal.opened(sealed, at: address) == [1, 2, 3])
            let strangers = [
                try GenerationSeal(id: id, secret: other),
                try GenerationSeal(id: [UInt8](repeating: 2, count: 16), secret: secret),
            ]
            for stranger in strangers {
                let found = code { () throws(StorageError) in try stranger.opened(sealed, at: address) }
                #expect(found == .authenticationFailed)
            }
            for place in [SecretAddress(["a"], "c"), SecretAddress(["a", "b"], ""), SecretAddress([], "a")] {
                let found = code { () throws(StorageError) in try seal.opened(sealed, at: place) }
                #expect(found == .authenticationFailed)
            }
            #expect(try seal.sealed([1, 2, 3], at: address) != sealed)
        }
    }
#endif
