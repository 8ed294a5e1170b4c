#if Encryption
    import Foundation
    import ShaleEncryption
    import Testing

    /// M13: no nonce comes twice under one key: not after reopening, not in two copies of one store that go on apart, not for
    /// one value written again.
    /// Contract S-4.
    @Suite struct M13NonceTests {
        private func write(_ fixture: EncryptedFixture, _ seen: inout Set<[UInt8]>, _ label: String) throws {
            let namespace = fixture["n"]
            for index in 0..<200 {
                try namespace.set("same value", forKey: "same key", .encrypted)
                let stored = try fixture.stored("same key", in: namespace)
                #expect(seen.insert(Array(stored[7..<31])).inserted, "\(label) \(index)")
            }
        }

        @Test func noncesAreNeverRepeated() throws {
            let fixture = try EncryptedFixture()
            var seen: Set<[UInt8]> = []
            try write(fixture, &seen, "first")
            try fixture.store.close()
            let backup = fixture.path + "-backup"
            defer { remove(backup) }
            try FileManager.default.copyItem(atPath: fixture.path, toPath: backup)
            try fixture.reopen()
            try write(fixture, &seen, "reopened")
            try fixture.store.close()
            // Restored from the backup: everything that the store could have counted is back to where it was.
            try FileManager.default.removeItem(atPath: fixture.path)
            try FileManager.default.copyItem(atPath: backup, toPath: fixture.path)
            try fixture.reopen()
            try write(fixture, &seen, "restored")
            #expect(seen.count == 600)
        }
    }
#endif
