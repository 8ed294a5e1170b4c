import Shale
import ShaleBase
import ShalePlatform
import TestSupport
import Testing

@testable import ShaleCluster

/// Changes of the keys of an encrypted namespace, on a simulated pool.
@Suite
struct ClusterKeyChangeTests {
    private let pool = SimulatedPool()
    private let time = ManualTime()

    private func client(_ key: UInt8 = 1) throws -> ClusterStore {
        var options = ClusterStore.Options()
        options.time = time
        options.writeTolerance = .seconds(2)
        options.encryption = StoreEncryption(cipher: ToyCipher(), keys: ToyKeys(byte: key))
        return try ClusterStore(pool, options: options)
    }

    private let large = [UInt8](repeating: 3, count: 100_000)

    /// Makes a namespace with 600 encrypted values, one of them large, and one value that is not encrypted.
    private func filled() async throws -> ClusterNamespace {
        let namespace = try await client().createNamespace("a", layout: ClusterLayout(shards: 3, isEncrypted: true))
        for index in 0..<600 { try await namespace.set("v\(index)", forKey: "k\(index)") }
        try await namespace.set("purgeable", forKey: "p", options: [.purgeable, .expires(after: .seconds(60))])
        try await namespace.set(large, forKey: "large")
        try await namespace.set("open", forKey: "open", options: .notEncrypted)
        return namespace
    }

    /// Checks the values of ``filled()``.
    private func check(_ namespace: ClusterNamespace) async throws {
        var count = 0
        for try await entry in namespace.entries {
            count += 1
            guard let key = entry.key.string, key.hasPrefix("k") else { continue }
            #expect(try entry.value(as: String.self) == "v" + key.dropFirst())
        }
        #expect(count == 603)
        #expect(try await namespace.value(forKey: "large", as: [UInt8].self) == large)
        #expect(try await namespace.value(forKey: "open", as: String.self) == "open")
        let info = try await namespace.info(forKey: "p")
        #expect(info?.isPurgeable == true && info?.isEncrypted == true && info?.expiresAt != nil)
    }

    /// Returns the numbers of values by the ids of their data keys; 0 stands for values that are not encrypted.
    static func dataKeys(_ namespace: ClusterNamespace) async throws -> [UInt32: Int] {
        var counts: [UInt32: Int] = [:]
        for shard in 0..<namespace.record.shards {
            var query = ObjectQuery()
            query.page = ObjectQuery.Page(prefix: EntryName.prefix, after: EntryName.prefix, limit: 10_000)
            for found in try await namespace.present.read(shard, query).contents.page {
                let key = try EntryName.key(of: found.name)
                let entry = try ClusterEntry(found.value, namespace: namespace.record.id, key: key)
                let envelope: [UInt8]
                switch entry.content {
                case .envelope(let bytes): envelope = bytes
                case .large(let value): envelope = try #require(try await namespace.envelope(of: value))
                }
                counts[try NamespaceKeyring.dataKey(of: envelope) ?? 0, default: 0] += 1
            }
        }
        return counts
    }

    private func keyIDs(_ namespace: ClusterNamespace) async throws -> [UInt32] {
        try StoredNamespaceKeys(try await namespace.currentRecord().record.keys).ids
    }

    @Test
    func everyValueIsUnderTheNewKeyAndTheOldOneIsGone() async throws {
        let namespace = try await filled()
        let steps = Locked<[KeyChangeProgress]>([])
        let report = try await namespace.changeDataKey { step in steps.withLock { $0.append(step) } }
        #expect(report == KeyChangeReport(rewritten: 602, isResumed: false))
        #expect(try await Self.dataKeys(namespace) == [0: 1, 2: 602])
        #expect(try await keyIDs(namespace) == [2])
        #expect(try await !namespace.hasUnfinishedKeyChange)
        let seen = steps.withLock { $0 }
        #expect(seen.map(\.fraction) == seen.map(\.fraction).sorted())
        #expect(seen.last == KeyChangeProgress(examined: 603, rewritten: 602, fraction: 1))
        try await check(namespace)
        try await check(try await client().namespace("a"))
        #expect(try await namespace.changeDataKey().rewritten == 602)
        #expect(try await keyIDs(namespace) == [3])
    }

    @Test
    func clientsThatAreOpenLearnOfTheNewKey() async throws {
        let namespace = try await filled()
        let other = try await client().namespace("a")
        try await check(other)
        try await namespace.changeDataKey()
        // Its reads meet values under a key that it does not know, and its writes a header that asks for that key.
        try await check(other)
        let third = try await client().namespace("a")
        _ = try await third.header(0)
        try await namespace.changeDataKey()
        for index in 0..<20 { try await third.set("new", forKey: "n\(index)") }
        try await third.set(large, forKey: "large")
        #expect(try await Self.dataKeys(namespace) == [0: 1, 3: 622])
        #expect(try await other.value(forKey: "n7", as: String.self) == "new")
    }

    @Test
    func aWriteThatIsUnderwayWhenTheKeyChangesIsEncryptedAgain() async throws {
        let namespace = try await filled()
        let other = try await client().namespace("a")
        let shard = other.shard(of: Array("k5".utf8))
        for value in [[UInt8](repeating: 8, count: 9), large] {
            // The other client encrypts its value for the header that it knows, which has moved on.
            let known = try await other.header(shard)
            try await namespace.changeDataKey()
            let next = try await namespace.currentHeader(shard).dataKey
            #expect(known.dataKey < next)
            try await other.set(value, forKey: "k5")
            #expect(try await Self.dataKeys(namespace).keys.sorted() == [0, next])
            #expect(try await other.value(forKey: "k5", as: [UInt8].self) == value)
        }
        // No object of a large value is left behind, neither of the old key nor of the write that began again.
        time.advance(milliseconds: 5_000)
        _ = try await namespace.reclaim()
        #expect(pool.objects(in: "a").count { $0.hasPrefix("v.") } == 2)
    }

    @Test
    func aChangeThatEndsAnywhereIsFinishedByTheNextOne() async throws {
        let reference = Locked(0)
        var limit = 0
        var isComplete = false
        while !isComplete {
            let fresh = ClusterKeyChangeTests()
            let namespace = try await fresh.small()
            reference.withLock { $0 = 0 }
            let allowed = limit
            fresh.pool.onOperation { _ in
                let count = reference.withLock { count in
                    count += 1
                    return count
                }
                guard count > allowed else { return nil }
                return .refused(.timedOut)
            }
            let failure = await code { try await namespace.changeDataKey() }
            fresh.pool.onOperation { _ in nil }
            isComplete = failure == nil
            let other = try await fresh.client().namespace("a")
            #expect(try await other.entries.array().count == 41)
            let begun = try await other.hasUnfinishedKeyChange
            let report = try await other.changeDataKey()
            #expect(report.isResumed == begun, "after \(limit) operations")
            let keys = try await Self.dataKeys(other)
            #expect(keys.count == 1 && keys.values.first == 41, "after \(limit) operations: \(keys)")
            #expect(try await fresh.keyIDs(other) == [keys.keys.first ?? 0])
            #expect(try await namespace.value(forKey: "k3", as: Int.self) == 3)
            limit += 1
        }
        #expect(limit > 15)
    }

    private func small() async throws -> ClusterNamespace {
        let namespace = try await client().createNamespace("a", layout: ClusterLayout(shards: 2, isEncrypted: true))
        for index in 0..<40 { try await namespace.set(index, forKey: "k\(index)") }
        try await namespace.set(large, forKey: "large")
        return namespace
    }

    @Test
    func writersAndChangesAtOnceLoseNothing() async throws {
        let seed = Ring.seed
        let namespace = try await small()
        let writer = try await client().namespace("a")
        let changer = try await client().namespace("a")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    let random = SeededRandom(seed: seed &+ UInt64(task))
                    for number in 0..<200 {
                        try await writer.set(number, forKey: "w\(task)/\(random.below(20))")
                        try await writer.set(number, forKey: "w\(task)/last")
                    }
                }
            }
            for changing in [namespace, changer, changer] { group.addTask { try await changing.changeDataKey() } }
            try await group.waitForAll()
        }
        try await namespace.changeDataKey()
        let newest = try #require(try await keyIDs(namespace).last)
        #expect(try await Self.dataKeys(namespace).keys.sorted() == [newest], "\(Ring.reproduction)")
        for task in 0..<4 { #expect(try await changer.value(forKey: "w\(task)/last", as: Int.self) == 199) }
        #expect(try await changer.value(forKey: "k3", as: Int.self) == 3)
    }

    @Test
    func aPurgedEntryStaysPurgedWhenItsShardIsRewritten() async throws {
        let namespace = try await filled()
        try await namespace.changeDataKey()
        try await namespace.purgeNow()
        try await namespace.changeDataKey()
        #expect(try await namespace.entry(forKey: "p") == nil)
        #expect(try await namespace.entries.array().count == 602)
    }

    @Test
    func onlyTheNewMasterKeyOpensTheNamespaceAfterAChange() async throws {
        let namespace = try await filled()
        try await namespace.changeMasterKey(to: ToyKeys(byte: 9))
        #expect(await code { _ = try await client(1).namespace("a") } == .wrongKey)
        let opened = try await client(9).namespace("a")
        try await check(opened)
        try await check(namespace)
        try await opened.changeDataKey()
        try await check(opened)
        // A client with the old key can't read the record with the new data key.
        #expect(await code { _ = try await namespace.entry(forKey: "k1") } == .wrongKey)
    }

    @Test
    func namespacesWithoutKeysAndClientsWithoutEncryptionAreTold() async throws {
        let plain = try ClusterStore(pool)
        let open = try await plain.createNamespace("open")
        #expect(await code { try await open.changeDataKey() } == .cipherMismatch)
        let seen = try await client().namespace("open")
        #expect(try await seen.changeDataKey() == KeyChangeReport(rewritten: 0, isResumed: false))
        #expect(await code { try await seen.changeMasterKey(to: ToyKeys(byte: 2)) } == .cipherMismatch)
        #expect(try await !seen.hasUnfinishedKeyChange)
    }
}
