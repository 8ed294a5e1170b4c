#if Encryption
    import ShaleEncryption
    import TestSupport
    import Testing

    /// Contract S-5: any changed byte of an encrypted value is an error, never a wrong value and never `nil`.
    @Suite struct TamperedValueTests {
        @Test func everyChangedByteIsNoticed() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["a"]
            try namespace.set("a secret of some length", forKey: "k", .encrypted)
            let stored = try fixture.stored("k", in: namespace)
            let expected: Set<StorageError.Code> = [.authenticationFailed, .corruption, .newerFormat]
            for offset in stored.indices {
                for change in [1, 2, 0x80, 0xff] as [UInt8] {
                    var changed = stored
                    changed[offset] ^= change
                    try fixture.plant(changed, forKey: "k", in: namespace)
                    let found = code { () throws(StorageError) in try namespace.value(forKey: "k", as: String.self) }
                    #expect(
                        found.map { expected.contains($0) } == true, "offset \(offset): \(String(describing: found))")
                    if offset > 6 { #expect(found == .authenticationFailed) }
                }
            }
        }

        @Test func everyOtherLengthIsNoticed() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["a"]
            try namespace.set("a secret", forKey: "k", .encrypted)
            let stored = try fixture.stored("k", in: namespace)
            for count in 0..<stored.count {
                try fixture.plant(Array(stored.prefix(count)), forKey: "k", in: namespace)
                #expect(code { () throws(StorageError) in try namespace.value(forKey: "k", as: String.self) } != nil)
                #expect(code { () throws(StorageError) in try namespace.object(forKey: "k") } != nil)
            }
            try fixture.plant(stored + [0], forKey: "k", in: namespace)
            #expect(
                code { () throws(StorageError) in try namespace.value(forKey: "k", as: String.self) }
                    == .authenticationFailed)
            try fixture.plant(stored, forKey: "k", in: namespace)
            #expect(try namespace.value(forKey: "k", as: String.self) == "a secret")
        }
    }
#endif
