#if Encryption
    import Foundation
    import ShaleEncryption
    import Testing

    /// Contract S-4: no nonce is used twice under one key.
    ///
    /// This holds after reopening, in two copies of one store that are both written to, and for one value that is
    /// written twice.
    @Suite struct NonceTests {
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
            // Restores the backup, which resets every counter that a store could have.
            try FileManager.default.removeItem(atPath: fixture.path)
            try FileManager.default.copyItem(atPath: backup, toPath: fixture.path)
            try fixture.reopen()
            try write(fixture, &seen, "restored")
            #expect(seen.count == 600)
        }
    }
#endif
