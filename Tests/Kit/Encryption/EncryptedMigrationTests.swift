#if Encryption
    import ShaleEncryption
    import ShalePlatform
    import ShaleSimulation
    import TestSupport
    import Testing

    private struct NoteV1: Codable, Sendable { var text: String }
    private struct Note: Codable, Sendable, Equatable {
        var text: String
        var pages: Int
    }
    private let first = VersionedCodec(NoteV1.self)
    private let codec = first.then(Note.self) { Note(text: $0.text, pages: 1) }

    /// Values with versions in encrypted entries.
    @Suite struct EncryptedMigrationTests {
        @Test func aPassKeepsEncryptionCipherAndOptions() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["n"]
            let options: ValueOptions = [.purgeable, .expires(after: .seconds(3600))]
            try namespace.set(NoteV1(text: "a"), forKey: "a", options: [options, .encrypted])
            try namespace.set(NoteV1(text: "b"), forKey: "b", using: first, options: .encrypted(with: .aes256GCM))
            try namespace.set(NoteV1(text: "c"), forKey: "c", options: .notEncrypted)
            try namespace.set(Note(text: "d", pages: 9), forKey: "d", using: codec, options: .encrypted)
            let before = try ["a", "b", "c", "d"].map { try #require(try namespace.info(forKey: $0)) }
            let report = try namespace.migrateValues(in: KeyRange.all, using: codec)
            #expect(report.migrated == 3 && report.isComplete)
            try fixture.reopen(.first)
            for (index, key) in ["a", "b", "c", "d"].enumerated() {
                let info = try #require(try fixture["n"].info(forKey: key))
                #expect(info.codec == .versioned && info.options == before[index].options, "\(key)")
                let pages = key == "d" ? 9 : 1
                #expect(try fixture["n"].value(forKey: key, using: codec) == Note(text: key, pages: pages))
            }
            #expect(try fixture["n"].migrateValues(in: KeyRange.all, using: codec).migrated == 0)
        }

        @Test func aPassWithoutTheKeyChangesNothing() throws {
            let fixture = try EncryptedFixture()
            try fixture["n"].set(NoteV1(text: "a"), forKey: "a", options: .encrypted)
            try fixture.reopen(nil)
            let report = try fixture["n"].migrateValues(in: KeyRange.all, using: codec)
            #expect(report.migrated == 0 && report.failed == 1 && report.firstFailure?.code == .cipherMismatch)
            try fixture.reopen(.first)
            #expect(try fixture["n"].value(forKey: "a", as: NoteV1.self)?.text == "a")
        }

        @Test func aPassIsFinishedAfterACrashAnywhere() throws {
            let files = SimulatedFileSystem(seed: 9)
            let store = try files.openStore()
            for index in 0..<12 {
                try store.common["n"].set(NoteV1(text: "\(index)"), forKey: "k\(index)", options: .encrypted)
            }
            try store.sync()
            let crashes = try files.crashes {
                try store.common["n"].migrateValues(in: KeyRange.all, using: codec)
                try store.common["n"].changeDataKey()
            }
            try store.close()
            #expect(crashes.count > 10)
            for crash in crashes {
                let store = try crash.files.openStore()
                try store.common["n"].migrateValues(prefix: "k", using: codec)
                for index in 0..<12 {
                    let value = try store.common["n"].value(forKey: "k\(index)", using: codec)
                    #expect(value == Note(text: "\(index)", pages: 1), "\(crash.place)")
                }
                try store.close()
            }
        }
    }
#endif
