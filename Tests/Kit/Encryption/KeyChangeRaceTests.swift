#if Encryption
    import Foundation
    import ShaleEncryption
    import Testing

    /// A writer, a reader and changes of both keys at once: no write is lost and no value becomes unreadable.
    @Suite struct KeyChangeRaceTests {
        private static let keys = 60

        private static func write(_ namespace: Namespace, _ store: Store) throws {
            for round in 1...60 {
                for index in 0..<keys {
                    try namespace.set(round, forKey: "k\(index)", .encrypted)
                    #expect(try namespace.value(forKey: "k\(index)", as: Int.self) == round)
                }
                try store.write { (batch) throws(StorageError) in
                    try batch.set(round, forKey: "b", in: namespace, .encrypted)
                }
            }
        }

        private static func changeKeys(_ namespace: Namespace, _ store: Store) throws {
            for round in 0..<6 {
                try namespace.changeDataKey()
                try store.changeMasterKey(to: KeySource.key(round % 2 == 0 ? TestKeys.second : TestKeys.first))
            }
        }

        @Test func writersGoOnMeanwhile() async throws {
            let fixture = try EncryptedFixture()
            let namespace = fixture["n"]
            let store = fixture.store
            for index in 0..<Self.keys { try namespace.set(0, forKey: "k\(index)", .encrypted) }
            async let writer: Void = Self.write(namespace, store)
            async let changer: Void = Self.changeKeys(namespace, store)
            _ = try await (writer, changer)
            try fixture.reopen(.first)
            #expect(
                try fixture["n"].entries.array().map { try $0.value(as: Int.self) } == .init(repeating: 60, count: 61))
            #expect(try !fixture["n"].hasUnfinishedKeyChange)
        }
    }
#endif
