#if Encryption
    import Foundation
    import ShaleBoxes
    import TestSupport
    import Testing

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
#endif
