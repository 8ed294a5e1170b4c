#if Encryption
    import Foundation
    import ShaleEncryption
    import ShaleManifest
    import ShaleSegment
    import Testing
    import _ShaleHotPaths

    @testable import ShaleEngine

    /// No file and no error contains the plaintext of an encrypted value.
    @Suite struct PlaintextTests {
        private static let secret = "Zebra-4711-plaintext"
        private static let open = "Giraffe-0815-plaintext"

        private func files(with text: String, below path: String) throws -> [String] {
            let wanted = Data(text.utf8)
            return try FileManager.default.subpathsOfDirectory(atPath: path).filter { name in
                FileManager.default.contents(atPath: path + "/" + name)?.range(of: wanted) != nil
            }
        }

        private func expectHidden(_ path: String) throws {
            #expect(try files(with: Self.secret, below: path) == [])
            // The search finds plaintext that is not encrypted.
            #expect(try !files(with: Self.open, below: path).isEmpty)
        }

        @Test func noFileHoldsPlaintext() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["n"]
            for index in 0..<40 {
                try namespace.set("\(Self.secret) \(index)", forKey: "s\(index)", options: [.encrypted, .purgeable])
                try namespace.set(["x": Self.secret], forKey: "j\(index)", as: .json, options: .encrypted)
                try namespace.set(["x": Self.secret], forKey: "p\(index)", as: .propertyList, options: .encrypted)
            }
            try fixture.store.write { (batch) throws(StorageError) in
                try batch.set(Self.secret, forKey: "b", in: namespace, options: .encrypted)
                try batch.set(Self.open, forKey: "o", in: namespace)
            }
            try fixture.store.transaction { (transaction) throws(StorageError) in
                try transaction.set(Self.secret, forKey: "t", in: namespace, options: .encrypted)
            }
            try fixture.store.sync()
            try expectHidden(fixture.path)
            // Segments are compressed, so the search for the clear value uses the log. Incompressible values are stored
            // as they are.
            try fixture.store.engine.flush()
            try namespace.set(Self.open, forKey: "o2")
            try expectHidden(fixture.path)
            try fixture.store.engine.compact()
            try fixture.store.purge(.all)
            try expectHidden(fixture.path)
            let checkpoint = fixture.path + "-checkpoint"
            defer { remove(checkpoint) }
            try fixture.store.engine.checkpoint(at: checkpoint)
            #expect(try files(with: Self.secret, below: checkpoint) == [])
            var options = fixture.options
            options.engine.mode = .openExisting
            let copy = try Store(at: checkpoint, options: options)
            #expect(try copy.common["n"].value(forKey: "b", as: String.self) == Self.secret)
            try copy.close()
            try fixture.reopen()
            #expect(try fixture["n"].value(forKey: "t", as: String.self) == Self.secret)
        }

        @Test func errorsHoldNeitherKeysNorPlaintext() throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["n"]
            try namespace.set(Self.secret, forKey: "user-key", options: .encrypted)
            var stored = try fixture.stored("user-key", in: namespace)
            stored[40] ^= 1
            try fixture.plant(stored, forKey: "user-key", in: namespace)
            do {
                _ = try namespace.value(forKey: "user-key", as: String.self)
                Issue.record("no error")
            } catch {
                let text = String(reflecting: error) + "\(error)"
                #expect(!text.contains("Zebra") && !text.contains("user-key") && !text.contains("0101"))
            }
            #expect(!String(reflecting: TestKeys.first).contains("1, 1"))
            var dumped = ""
            dump(fixture.options.encryption, to: &dumped)
            #expect(!dumped.contains("1, 1") && !dumped.contains("0101"))
        }
    }

    /// A dictionary is trained with the content of blocks, which for encrypted values is not their
    /// plaintext.
    @Suite struct EncryptedDictionaryTests {
        /// Returns a document that contains a word which no document of another kind contains.
        private static func document(_ word: String, _ documents: inout SampleDocuments) -> String {
            "{\"note\":\"\(word) in the zoo\",\"profile\":\(String(decoding: documents.next(), as: UTF8.self))}"
        }

        /// Returns the dictionaries of all segments, as zstd gets them.
        private static func dictionaries(_ store: Store, _ name: String) throws -> [[UInt8]] {
            let bytes: [UInt8] = [1, UInt8(name.utf8.count), 0] + Array(name.utf8)
            let id = try #require(store.engine.namespace(named: bytes)).id
            let view = store.engine.core.viewCell.retained()
            return try view.version.levels.flatMap(\.segments).compactMap {
                try $0.blockDictionary(of: id)?.bytes.array()
            }
        }

        private static func holds(_ dictionaries: [[UInt8]], _ word: String) -> Bool {
            dictionaries.contains { Data($0).range(of: Data(word.utf8)) != nil }
        }

        @Test func aDictionaryHoldsNoPlaintextOfEncryptedValues() throws {
            let fixture = try EncryptedFixture()
            let (mixed, sealed) = (fixture["mixed"], fixture["sealed"])
            var documents = SampleDocuments(.profiles)
            // Most values are in the clear, so that a dictionary exists: encrypted values can't be compressed.
            for index in 0..<20_000 {
                try mixed.set(Self.document("Giraffe", &documents), forKey: "open \(index)")
                guard index % 20 == 0 else { continue }
                let secret = Self.document("Zebra", &documents)
                try mixed.set(secret, forKey: "secret \(index)", options: .encrypted)
                for copy in 0..<16 { try sealed.set(secret, forKey: "secret \(index) \(copy)", options: .encrypted) }
            }
            try fixture.store.engine.compact()
            let dictionaries = try Self.dictionaries(fixture.store, "mixed")
            #expect(Self.holds(dictionaries, "Giraffe") && !Self.holds(dictionaries, "Zebra"))
            #expect(try Self.dictionaries(fixture.store, "sealed").isEmpty)
            #expect(try mixed.string(forKey: "secret 40")?.contains("Zebra") == true)
        }
    }
#endif
