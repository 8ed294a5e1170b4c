#if Encryption
    import Foundation
    import ShaleEncryption
    import Testing

    /// No nonce is used twice under one key.
    ///
    /// This holds after reopening, in two copies of one store that are both written to, and for one value that is
    /// written twice.
    @Suite struct NonceTests {
        private func write(_ fixture: EncryptedFixture, _ seen: inout Set<[UInt8]>, _ label: String) throws {
            let namespace = fixture["n"]
            for index in 0..<200 {
                try namespace.set("same value", forKey: "same key", options: .encrypted)
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

    /// The test vectors of C2SP's XAES-256-GCM: one key on each side of the carry of its subkey.
    @Suite struct XAESVectorTests {
        private func check(_ keyByte: UInt8, _ context: String, _ expected: String) throws {
            let bytes = [UInt8](repeating: keyByte, count: 32)
            let sealer = try AES256GCM().sealer(with: try unsafe SecretKey(copying: bytes.span.bytes))
            let nonce = Array("ABCDEFGHIJKLMNOPQRSTUVWX".utf8)
            let plaintext = Array("XAES-256-GCM".utf8)
            let context = Array(context.utf8)
            var sealed: [UInt8] = []
            try unsafe sealer.seal(
                plaintext.span.bytes, nonce: nonce.span.bytes, context: context.span.bytes, appendingTo: &sealed)
            let digits = sealed.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            #expect(digits == expected)
            var opened: [UInt8] = [9]
            #expect(
                try unsafe sealer.open(
                    sealed.span.bytes, nonce: nonce.span.bytes, context: context.span.bytes, appendingTo: &opened))
            #expect(opened == [9] + plaintext)
        }

        @Test func theVectorsOfTheSpecificationAreReproduced() throws {
            try check(1, "", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271")
            try check(3, "c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d")
        }
    }
#endif
