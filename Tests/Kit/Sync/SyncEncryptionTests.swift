#if Encryption
    import Shale
    import ShaleBase
    import ShaleCollections
    import ShaleEncryption
    import ShalePlatform
    import ShaleSimulation
    import ShaleSync
    import Testing

    /// Collections whose namespace encrypts.
    @Suite struct SyncEncryptionTests {
        /// A text that no file of a device with an encrypted collection may contain.
        private static let secret = "Ouagadougou-4711"

        private let sync: LoopbackSync

        init() throws { sync = try LoopbackSync() }

        /// Makes a device on a disk of its own, whose collection encrypts or does not.
        private func device(
            _ seed: UInt64, _ files: SimulatedFileSystem, isEncrypted: Bool = true,
            rule: ConflictRule<ToDo> = .fieldByField
        ) throws -> Device {
            let encryption = StoreEncryption.aes256GCM(.key(try SecretKey()))
            let store = try LoopbackSync.store(sync.time, files) { $0.encryption = encryption }
            let namespace = store.user("u")["collections"].child("todos")
            if isEncrypted { try namespace.setOptions(NamespaceOptions(isEncrypted: true)) }
            return try Device(store, sync.transport(), sync.time, SeededRandom(seed: seed), rule)
        }

        /// True if a file of the disk contains the secret in the clear.
        private func isLeaked(_ files: SimulatedFileSystem) -> Bool {
            let secret = Array(SyncEncryptionTests.secret.utf8)
            return files.paths().contains { path in
                guard let bytes = files.read(path), bytes.count >= secret.count else { return false }
                return (0...bytes.count - secret.count).contains {
                    bytes[$0] == secret[0] && bytes[$0..<$0 + secret.count].elementsEqual(secret)
                }
            }
        }

        private func secretToDo(_ suffix: String) -> ToDo {
            ToDo(id: 1, title: SyncEncryptionTests.secret + suffix, note: SyncEncryptionTests.secret)
        }

        @Test func recordsAreInStepAndNothingOfThemIsInTheClear() async throws {
            let (first, second) = (SimulatedFileSystem(seed: 1), SimulatedFileSystem(seed: 2))
            let (a, b) = (try device(1, first), try device(2, second))
            try await a.todos.insert(secretToDo(" a"))
            // A batch in flight: it is stored as it is sent.
            a.transport.loseReply()
            await #expect(throws: SyncError.self) { try await a.client.synchronise() }
            #expect(!isLeaked(first))
            for device in [a, b] { try await device.client.synchronise() }
            #expect(try b.all() == [secretToDo(" a")])
            for device in [a, b] { try device.store.engine.flush() }
            #expect(!isLeaked(first) && !isLeaked(second))
        }

        @Test func whatAConflictLosesIsEncryptedToo() async throws {
            let (first, second) = (SimulatedFileSystem(seed: 1), SimulatedFileSystem(seed: 2))
            let (a, b) = (try device(1, first), try device(2, second))
            try await a.todos.insert(secretToDo(" a"))
            for device in [a, b] { try await device.client.synchronise() }
            try a.todos.modify(try RecordKey(1)) { $0.title = SyncEncryptionTests.secret + " mine" }
            try b.todos.modify(try RecordKey(1)) { $0.title = SyncEncryptionTests.secret + " yours" }
            for device in [a, b, a] { try await device.client.synchronise() }
            #expect(try b.client.keptVersions().count == 1)
            #expect(try a.all() == (try b.all()))
            for device in [a, b] { try device.store.engine.flush() }
            #expect(!isLeaked(first) && !isLeaked(second))
        }

        /// The search would find the text if it were there.
        @Test func aPlainCollectionIsFoundByTheSameSearch() async throws {
            let files = SimulatedFileSystem(seed: 1)
            let device = try device(1, files, isEncrypted: false)
            try await device.todos.insert(secretToDo(""))
            try await device.client.synchronise()
            #expect(isLeaked(files))
        }

        @Test func aDeviceThatEncryptsAndOneThatDoesNotAreInStep() async throws {
            let (a, b) = (
                try device(1, SimulatedFileSystem(seed: 1)),
                try device(2, SimulatedFileSystem(seed: 2), isEncrypted: false)
            )
            try await a.todos.insert(secretToDo(" a"))
            for device in [a, b] { try await device.client.synchronise() }
            try b.todos.modify(try RecordKey(1)) { $0.isDone = true }
            for device in [b, a] { try await device.client.synchronise() }
            #expect(try a.all() == (try b.all()))
            #expect(try a.all().map(\.isDone) == [true])
        }
    }
#endif
