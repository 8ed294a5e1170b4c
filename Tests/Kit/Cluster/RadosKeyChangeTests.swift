#if RADOS
    import Shale
    import ShalePlatform
    import TestSupport
    import Testing

    @testable import ShaleCluster

    /// A change of keys on a cluster. In the suite of the disturbances, which run one after the other.
    extension RadosClusterTests {
        @Test
        func theKeysOfANamespaceChangeBesideWriters() async throws {
            try await ClusterUse.ofCluster.with { try await changeKeysBesideWriters() }
        }

        private func changeKeysBesideWriters() async throws {
            let encryption = StoreEncryption(cipher: ToyCipher(), keys: ToyKeys(byte: 1))
            let store = try await ClusterFixture.open(encryption: encryption)
            let other = try await ClusterFixture.open(encryption: encryption)
            let large = [UInt8](repeating: 3, count: 100_000)
            let name = "keys-\(Ring.seed)-\(SystemRandom().next())"
            let namespace = try await store.createNamespace(name, layout: ClusterLayout(shards: 4, isEncrypted: true))
            for index in 0..<600 { try await namespace.set(index, forKey: "k\(index)") }
            try await namespace.set(large, forKey: "large")
            let writer = try await other.namespace(name)
            let isDone = Locked(false)
            async let written: Int = {
                var count = 0
                while !isDone.withLock({ $0 }) {
                    try await writer.set(count, forKey: "w\(count % 50)")
                    count += 1
                }
                return count
            }()
            #expect(try await !namespace.changeDataKey().isResumed)
            isDone.withLock { $0 = true }
            let count = try await written
            #expect(try await ClusterKeyChangeTests.dataKeys(namespace).keys.sorted() == [2])
            let fresh = try await other.namespace(name)
            #expect(try await fresh.value(forKey: "large", as: [UInt8].self) == large)
            #expect(try await fresh.value(forKey: "w\((count - 1) % 50)", as: Int.self) == count - 1)
            for index in stride(from: 0, to: 600, by: 7) {
                #expect(try await fresh.value(forKey: "k\(index)", as: Int.self) == index)
            }
            try await store.dropNamespace(name)
            await store.close()
            await other.close()
        }
    }
#endif
