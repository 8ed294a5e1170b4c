#if Encryption
    import Foundation
    import ShaleEncryption
    import ShaleManifest
    import ShaleSegment
    import Testing
    import _ShaleHotPaths

    @testable import ShaleEngine

    /// Contract S-8: a dictionary is trained with the content of blocks, which for encrypted values is not their
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
                try mixed.set(secret, forKey: "secret \(index)", .encrypted)
                for copy in 0..<16 { try sealed.set(secret, forKey: "secret \(index) \(copy)", .encrypted) }
            }
            try fixture.store.engine.compact()
            let dictionaries = try Self.dictionaries(fixture.store, "mixed")
            #expect(Self.holds(dictionaries, "Giraffe") && !Self.holds(dictionaries, "Zebra"))
            #expect(try Self.dictionaries(fixture.store, "sealed").isEmpty)
            #expect(try mixed.string(forKey: "secret 40")?.contains("Zebra") == true)
        }
    }
#endif
