import Shale
import ShalePlatform
import Testing

@testable import ShaleCluster

/// Encrypted values in a namespace on a cluster, on a simulated pool.
@Suite
struct ClusterEncryptionTests {
    private let pool = SimulatedPool()
    private let time = ManualTime()

    private func client(_ key: UInt8?) throws -> ClusterStore {
        var options = ClusterStore.Options()
        options.time = time
        options.encryption = key.map { StoreEncryption(cipher: ToyCipher(), keys: ToyKeys(byte: $0)) }
        return try ClusterStore(pool, options: options)
    }

    @Test
    func encryptedValuesComeBackForClientsWithTheKey() async throws {
        let namespace = try await client(1).createNamespace("a", layout: ClusterLayout(isEncrypted: true))
        #expect(namespace.capabilities.contains(.encryption))
        try await namespace.set("secret", forKey: "k", options: .expires(after: .seconds(60)))
        try await namespace.set("open", forKey: "o", options: .notEncrypted)
        let large = [UInt8](repeating: 3, count: 100_000)
        try await namespace.set(large, forKey: "l", options: .purgeable)
        let other = try await client(1).namespace("a")
        #expect(try await other.value(forKey: "k", as: String.self) == "secret")
        #expect(try await other.value(forKey: "l", as: [UInt8].self) == large)
        #expect(try await other.info(forKey: "k")?.isEncrypted == true)
        #expect(try await other.info(forKey: "o")?.isEncrypted == false)
        #expect(try await other.info(forKey: "k")?.codec == .string)
        #expect(try await other.compareAndSet("changed", forKey: "k", expecting: "secret"))
        #expect(try await namespace.value(forKey: "k", as: String.self) == "changed")
    }

    @Test
    func aWrongKeyOpensNothingAndNoKeyOpensWhatIsNotEncrypted() async throws {
        let namespace = try await client(1).createNamespace("a", layout: ClusterLayout())
        try await namespace.set("secret", forKey: "k", options: .encrypted)
        try await namespace.set("open", forKey: "o")
        #expect(await code { _ = try await client(2).namespace("a") } == .wrongKey)
        let without = try await client(nil).namespace("a")
        #expect(try await without.value(forKey: "o", as: String.self) == "open")
        #expect(await code { _ = try await without.entry(forKey: "k") } == .cipherMismatch)
        #expect(await code { try await without.set(1, forKey: "k", options: .encrypted) } == .cipherMismatch)
        #expect(
            await code { _ = try await client(nil).createNamespace("b", layout: ClusterLayout(isEncrypted: true)) }
                == .cipherMismatch)
        #expect(
            await code { try await namespace.set(1, forKey: "k", options: .encrypted(with: .aes256GCM)) }
                == .cipherMismatch)
    }

    @Test
    func aValueOpensOnlyAtItsOwnKeyNamespaceAndOptions() async throws {
        let store = try client(1)
        let namespace = try await store.createNamespace("a", layout: ClusterLayout(shards: 1))
        let other = try await store.createNamespace("b", layout: ClusterLayout(shards: 1))
        try await namespace.set("secret", forKey: "k", options: .encrypted)
        let found = try #require(try await namespace.present.lookUp(Array("k".utf8)).found)
        guard case .envelope(let sealed) = found.entry.content else { throw StorageError(.corruption, "not inline") }
        func put(_ key: String, in namespace: ClusterNamespace, isPurgeable: Bool, expiry: Int64?) async throws {
            let key = Array(key.utf8)
            let header = try await namespace.currentHeader(0)
            let entry = ClusterEntry(
                generation: header.generation, isPurgeable: isPurgeable, expiresAtMilliseconds: expiry,
                content: .envelope(sealed))
            let stored = ObjectEntry(
                name: EntryName.name(of: key), value: entry.bytes(namespace: namespace.record.id, key: key))
            #expect(try await namespace.change(0, under: header, [.setEntries([stored])]))
        }
        // The author of these entries knows their format, and makes their checksums right.
        try await put("moved", in: namespace, isPurgeable: false, expiry: nil)
        try await put("k", in: other, isPurgeable: false, expiry: nil)
        #expect(await code { _ = try await namespace.entry(forKey: "moved") } == .authenticationFailed)
        #expect(await code { _ = try await other.entry(forKey: "k") } == .authenticationFailed)
        try await put("k", in: namespace, isPurgeable: true, expiry: nil)
        #expect(await code { _ = try await namespace.entry(forKey: "k") } == .authenticationFailed)
        try await put("k", in: namespace, isPurgeable: false, expiry: .max)
        #expect(await code { _ = try await namespace.entry(forKey: "k") } == .authenticationFailed)
        try await put("k", in: namespace, isPurgeable: false, expiry: nil)
        #expect(try await namespace.value(forKey: "k", as: String.self) == "secret")
    }
}
