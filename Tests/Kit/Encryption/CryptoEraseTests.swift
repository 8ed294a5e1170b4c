#if Encryption
    import Foundation
    import ShaleEncryption
    import ShaleSimulation
    import TestSupport
    import Testing

    /// After dropping a namespace or a user, or changing a data key, no file contains the sealed
    /// keys.
    @Suite struct CryptoEraseTests {
        /// Returns the sealed data key of a namespace of the common space.
        private func sealedKey(_ name: String, _ store: Store) throws -> Data {
            let options = try #require(
                store.engine.namespace(named: [1, UInt8(name.utf8.count), 0] + Array(name.utf8))?.options)
            // The options end with nonce and sealed key: 24 + 32 + 16 bytes.
            return Data(options.suffix(72))
        }

        private func files(with bytes: Data, _ fixture: EncryptedFixture) throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: fixture.path).filter { name in
                FileManager.default.contents(atPath: fixture.path + "/" + name)?.range(of: bytes) != nil
            }
        }

        @Test func aDroppedNamespacesKeyIsInNoFile() throws {
            let fixture = try EncryptedFixture()
            try fixture["a"].set("v", forKey: "k", options: .encrypted)
            let key = try sealedKey("a", fixture.store)
            #expect(try files(with: key, fixture).count == 1)
            try fixture["a"].drop()
            #expect(try files(with: key, fixture) == [])
        }

        @Test func anOldDataKeyIsInNoFile() throws {
            let fixture = try EncryptedFixture()
            try fixture["a"].set("v", forKey: "k", options: .encrypted)
            let key = try sealedKey("a", fixture.store)
            try fixture["a"].changeDataKey()
            #expect(try files(with: key, fixture) == [])
            let second = try sealedKey("a", fixture.store)
            #expect(second != key)
            try fixture.store.changeMasterKey(to: KeySource.key(TestKeys.second))
            #expect(try files(with: second, fixture) == [])
            #expect(try fixture["a"].value(forKey: "k", as: String.self) == "v")
            try fixture.reopen(.second)
        }
    }

    /// Removing a user destroys the data keys of all namespaces of the user.
    ///
    /// The remaining bytes of the values need keys that no file contains, even for an attacker with the master key.
    @Suite struct UserEraseTests {
        private static func namespaces(of user: String, in store: Store) -> [Store.Namespace] {
            let space = store.user(user)
            return [space["mail"], space["notes"], space["mail"].child("drafts")]
        }

        /// Returns nonce and sealed key of each data key of a user's namespaces, which are the last field of the
        /// options.
        private static func sealedKeys(of user: String, in store: Store) -> [Data] {
            let prefix: [UInt8] = [2, UInt8(user.utf8.count), 0] + Array(user.utf8)
            return store.engine.namespaces.filter { $0.name.starts(with: prefix) }.map { Data($0.options.suffix(72)) }
        }

        @Test func noFileHoldsAKeyOfARemovedUser() throws {
            let fixture = try EncryptedFixture()
            for user in ["ada", "bob"] {
                for namespace in Self.namespaces(of: user, in: fixture.store) {
                    try namespace.set("of \(user)", forKey: "k", options: .encrypted)
                }
            }
            let keys = Self.sealedKeys(of: "ada", in: fixture.store)
            #expect(keys.count == 3)
            let sealed = try fixture.stored("k", in: fixture.store.user("ada")["mail"])
            // Searches manifest, statistics and segments.
            try fixture.reopen()
            try fixture.store.removeUser("ada")
            let files = try FileManager.default.subpathsOfDirectory(atPath: fixture.path)
                .compactMap { FileManager.default.contents(atPath: fixture.path + "/" + $0) }
            #expect(keys.allSatisfy { key in !files.contains { $0.range(of: key) != nil } })
            // The bytes of a value may still exist, but no key opens them, even at their old place.
            try fixture.reopen()
            let mail = fixture.store.user("ada")["mail"]
            try mail.set("anew", forKey: "other", options: .encrypted)
            try fixture.plant(sealed, forKey: "k", in: mail)
            #expect(
                code { () throws(StorageError) in try mail.value(forKey: "k", as: String.self) }
                    == .authenticationFailed)
            for namespace in Self.namespaces(of: "bob", in: fixture.store) {
                #expect(try namespace.value(forKey: "k", as: String.self) == "of bob")
            }
        }

        /// Only a few entries, because every call of the script is a crash.
        private static func crashed(in store: Store) -> [Store.Namespace] {
            [store.user("ada")["mail"], store.user("ada")["mail"].child("drafts"), store.user("bob")["mail"]]
        }

        private struct Progress {
            var keys: [Data] = []
            var isWritten = false
            var isRemoved = false
        }

        @Test func aCrashAtAnyCallLeavesAllOfAUserOrNoKeyOfHim() throws {
            let files = SimulatedFileSystem(seed: 5)
            var progress = Progress()
            let crashes = try files.crashes(mark: { progress }) {
                let store = try files.openStore()
                for namespace in Self.crashed(in: store) {
                    let user = try #require(namespace.space.userID)
                    try namespace.set("of \(user)", forKey: "k", options: .encrypted, durability: .synced)
                }
                progress.keys = Self.sealedKeys(of: "ada", in: store)
                progress.isWritten = true
                try store.removeUser("ada")
                progress.isRemoved = true
                try store.close()
            }
            #expect(crashes.count > 100)
            #expect(crashes.failures { try Self.verify($0.files, $0.mark) } == [])
        }

        private static func verify(_ files: SimulatedFileSystem, _ progress: Progress) throws {
            let store = try files.openStore()
            guard progress.isWritten else { return try store.close() }
            let isThere = store.userIDs.contains("ada")
            #expect(!(isThere && progress.isRemoved))
            for namespace in crashed(in: store) {
                let value = try namespace.value(forKey: "k", as: String.self)
                let isKept = isThere || namespace.space.userID == "bob"
                #expect(value == (isKept ? "of \(namespace.space.userID ?? "")" : nil))
            }
            try store.close()
            guard !isThere else { return }
            for path in files.paths() {
                guard let content = files.read(path).map({ Data($0) }) else { continue }
                #expect(progress.keys.allSatisfy { content.range(of: $0) == nil }, "\(path)")
            }
        }
    }
#endif
