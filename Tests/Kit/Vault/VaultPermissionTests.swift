#if Encryption
    import Foundation
    import ShaleVault
    import TestSupport
    import Testing

    /// A vault without read permission is `.locked`, never empty and never missing, on a real file system.
    @Suite(.enabled(if: Unprivileged.isPossible, "root on this system may read everything"))
    struct VaultPermissionTests {
        private static func password(_ path: String, _ keys: KeySource) throws(StorageError) -> String? {
            let vault = try Vault(at: path, keys: keys)
            do throws(StorageError) {
                let password = try vault.password(account: "ada", service: "s")
                try vault.close()
                return password
            } catch {
                try vault.close()
                throw error
            }
        }

        @Test func whatMayNotBeReadIsLocked() throws {
            try Unprivileged.runInFolder { (folder) throws in
                let path = folder + "/vault"
                let keys = KeySource.key(try SecretKey())
                let vault = try Vault(at: path, keys: keys)
                try vault.store("secret", account: "ada", service: "s")
                try vault.close()
                var lockedCount = 0
                let names = try FileManager.default.subpathsOfDirectory(atPath: path).map { "/" + $0 }
                for place in [folder, path] + names.map({ path + $0 }) {
                    // An earlier opening has replaced some files.
                    guard FileManager.default.fileExists(atPath: place) else { continue }
                    try Unprivileged.withoutPermissions(for: place) {
                        var password: String? = "secret"
                        let failure = code { () throws(StorageError) in password = try Self.password(path, keys) }
                        #expect(password == "secret", "the vault seems empty")
                        #expect(failure == nil || failure == .locked, "\(place)")
                        if failure == .locked { lockedCount += 1 }
                    }
                }
                #expect(lockedCount >= 7, "directories, CURRENT, manifest, lock, a segment")
                #expect(try Self.password(path, keys) == "secret", "nothing was changed")
            }
        }
    }
#endif
