#if Encryption && os(Linux)
    import Foundation
    import ShaleKit
    import Testing

    /// A box whose vault is the keyring of a session.
    @Suite(
        .enabled(
            if: ProcessInfo.processInfo.environment["SHALE_KEYRING"] == "unlocked",
            "needs tools/support/with-keyring unlocked; tools/test runs it"))
    struct RestrictedKeyringTests {
        @Test func restrictedValuesEndWithTheirInstallation() throws {
            let folder = FileManager.default.temporaryDirectory.path + "/shale-keyring-\(UUID().uuidString)"
            let application = "com.example.\(UUID().uuidString)"
            let vault = try Vault.secretService(timeLimit: .seconds(60))
            func launch(_ body: (DataBox) throws -> Void) throws {
                let box = try DataBox(at: folder, application: application, vault: vault)
                try body(box)
                try box.close()
            }
            for (count, value) in ["first", "second"].enumerated() {
                try launch { (box) throws in
                    for user in [nil, "ada"] as [String?] {
                        for scope in [BoxScope.vault, .restricted] {
                            let compartment =
                                user.map { box.compartment("Session", scope, per: $0) }
                                ?? box.compartment("Session", scope)
                            let old = try compartment.value(forKey: "k", as: String.self)
                            #expect(old == (count == 1 && scope == .vault ? "first" : nil))
                            try compartment.set(value, forKey: "k")
                            #expect(try compartment.value(forKey: "k", as: String.self) == value)
                        }
                    }
                    try box.sync()
                }
                try launch { (box) throws in
                    let compartment = box.compartment("Session", .restricted, per: "ada")
                    #expect(try compartment.value(forKey: "k", as: String.self) == value)
                }
                try FileManager.default.removeItem(atPath: folder)
            }
            // Both vault values and the restricted values of the second installation; those of the first were erased.
            #expect(try vault.removeAll(below: ["box", EntryKey(application)]) == 4)
            try vault.close()
        }
    }
#endif
