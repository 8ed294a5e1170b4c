#if Encryption
    import Foundation
    import ShaleEncryption
    import ShaleEngine
    import ShalePlatform
    import ShaleSimulation
    import Testing

    /// An encrypted store on disk, in a temporary directory that is removed with the fixture.
    final class EncryptedFixture {
        let path: String
        let time = ManualTime()
        private(set) var options = Store.Options()
        private(set) var store: Store

        init(_ encryption: StoreEncryption? = .aes256GCM(.key(TestKeys.first))) throws {
            path = FileManager.default.temporaryDirectory.path + "/shale-sealed-\(UUID().uuidString)"
            options.engine.time = time
            options.engine.syncInterval = nil
            options.encryption = encryption
            store = try Store(at: path, options: options)
        }

        deinit {
            do {
                try store.close()
                try FileManager.default.removeItem(atPath: path)
            } catch {
                Issue.record("could not remove \(path): \(error)")
            }
        }

        /// A namespace of the common space.
        subscript(name: String) -> Store.Namespace { store.common[name] }

        func reopen(_ encryption: StoreEncryption?) throws {
            try store.close()
            options.encryption = encryption
            store = try Store(at: path, options: options)
        }

        func reopen() throws { try reopen(options.encryption) }

        /// Returns the bytes that the engine stores for a key.
        func stored(_ key: String, in namespace: Store.Namespace) throws -> [UInt8] {
            let id = try #require(try id(of: namespace))
            return try #require(try unsafe store.engine.value(forKey: Array(key.utf8).span.bytes, in: id))
        }

        /// Stores bytes as they are.
        func plant(
            _ value: [UInt8], forKey key: String, in namespace: Store.Namespace, options: PutOptions = .init()
        ) throws {
            let id = try #require(try id(of: namespace))
            try unsafe store.engine.put(value.span.bytes, forKey: Array(key.utf8).span.bytes, in: id, options: options)
        }

        private func id(of namespace: Store.Namespace) throws -> NamespaceID? {
            var name: [UInt8] = namespace.space.userID.map { [2, UInt8($0.utf8.count), 0] + Array($0.utf8) } ?? [1]
            for part in namespace.path { name += [UInt8(part.utf8.count), 0] + Array(part.utf8) }
            return store.engine.namespace(named: name)?.id
        }
    }

    enum TestKeys {
        static let first = make(1)
        static let second = make(2)

        private static func make(_ byte: UInt8) -> SecretKey {
            let bytes = [UInt8](repeating: byte, count: SecretKey.byteCount)
            do {
                return try unsafe SecretKey(copying: bytes.span.bytes)
            } catch {
                preconditionFailure("\(error)")
            }
        }
    }

    extension StoreEncryption {
        static var first: StoreEncryption { .aes256GCM(.key(TestKeys.first)) }
        static var second: StoreEncryption { .aes256GCM(.key(TestKeys.second)) }
    }

    /// Removes a directory that a test made.
    func remove(_ path: String) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            Issue.record("could not remove \(path): \(error)")
        }
    }

    extension SimulatedFileSystem {
        /// Opens the store of this disk, or creates it. It has no threads and no timer, so its calls have one order.
        func openStore(_ encryption: StoreEncryption = .first) throws(StorageError) -> Store {
            var options = Store.Options(encryption: encryption)
            options.engine.time = ManualTime()
            options.engine.syncInterval = nil
            return try Store(
                at: "/store", options: options, environment: EngineEnvironment(fileSystem: self, scheduling: .inline))
        }

        /// Opens the store with the one of the two master keys that fits.
        func openStoreWithEither() throws(StorageError) -> (store: Store, isSecond: Bool) {
            do {
                return (try openStore(.first), false)
            } catch {
                guard error.code == .wrongKey else { throw error }
                return (try openStore(.second), true)
            }
        }
    }
#endif
