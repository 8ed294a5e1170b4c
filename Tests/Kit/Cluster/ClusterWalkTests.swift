import ShaleBase
import ShalePlatform
import Testing

@testable import ShaleCluster

/// A walk whose reads fail.
@Suite
struct ClusterWalkTests {
    private let pool = SimulatedPool()

    @Test
    func aWalkContinuesBehindAPageThatCouldNotBeRead() async throws {
        let store = try ClusterStore(pool)
        let layout = ClusterLayout(shards: 2, partitioning: .separator(UInt8(ascii: "/")))
        let namespace = try await store.createNamespace("a", layout: layout)
        // Two pages of one shard, and entries of both.
        let keys = (0..<300).map { "p/\(1_000 + $0)" } + (0..<20).map { "q\($0)/" }
        for key in keys { try await namespace.set(key, forKey: key) }
        let reads = Locked(0)
        pool.onOperation { operation in
            guard case .read = operation else { return nil }
            let number = reads.withLock { reads in
                reads += 1
                return reads
            }
            return number.isMultiple(of: 3) ? .refused(.timedOut) : nil
        }
        let (found, errors) = try await walk(namespace.entries(prefix: ""))
        #expect(found == keys.sorted())
        #expect(!errors.isEmpty && errors.allSatisfy { $0 == .unavailable })
    }

    /// Walks to the end, with every error that a read meets on the way.
    private func walk(_ entries: ClusterEntries) async throws -> (keys: [String], errors: [StorageError.Code]) {
        var iterator = entries.makeAsyncIterator()
        var (keys, errors): ([String], [StorageError.Code]) = ([], [])
        while true {
            do throws(StorageError) {
                guard let entry = try await iterator.next() else { return (keys, errors) }
                keys.append(entry.key.description)
            } catch {
                errors.append(error.code)
                try #require(errors.count < 100)
            }
        }
    }

    @Test
    func aWalkReadsALargeValueAgainThatCouldNotBeRead() async throws {
        let namespace = try await ClusterStore(pool).createNamespace("a", layout: ClusterLayout(shards: 1))
        let large = [UInt8](repeating: 1, count: 70_000)
        for key in ["a", "c"] { try await namespace.set(key, forKey: key) }
        try await namespace.set(large, forKey: "b")
        let reads = Locked(0)
        pool.onOperation { operation in
            guard case .read(let object, _) = operation, object.name.hasPrefix("v.") else { return nil }
            let number = reads.withLock { reads in
                reads += 1
                return reads
            }
            return number == 1 ? .refused(.timedOut) : nil
        }
        let (keys, errors) = try await walk(namespace.entries)
        #expect(keys == ["a", "b", "c"])
        #expect(errors == [.unavailable])
    }

    @Test
    func aWalkReadsADamagedEntryAgain() async throws {
        let namespace = try await ClusterStore(pool).createNamespace("a", layout: ClusterLayout(shards: 1))
        for key in ["a", "b", "c"] { try await namespace.set(key, forKey: key) }
        let object = namespace.object(0)
        var query = ObjectQuery()
        query.names = [EntryName.name(of: Array("b".utf8))]
        let stored = try #require(try await pool.read(object, query).found.first)
        let damaged = ObjectEntry(name: stored.name, value: stored.value.map { $0 ^ 1 })
        try await pool.write(object, ObjectChange([.setEntries([damaged])]))
        var iterator = namespace.entries.makeAsyncIterator()
        #expect(try await iterator.next()?.key == "a")
        #expect(await code { _ = try await iterator.next() } == .corruption)
        #expect(await code { _ = try await iterator.next() } == .corruption)
        try await pool.write(object, ObjectChange([.setEntries([stored])]))
        #expect(try await iterator.next()?.key == "b")
        #expect(try await iterator.next()?.key == "c")
        #expect(try await iterator.next() == nil)
    }

    @Test
    func rangesOfSeveralShardsEndAtTheirBounds() async throws {
        let namespace = try await ClusterStore(pool).createNamespace("a", layout: ClusterLayout(shards: 3))
        // A key with the smallest bytes directly behind each bound.
        let keys: [[UInt8]] = [[97], [97, 0], [97, 1], [98], [98, 0], [99]]
        for key in keys { try await namespace.set(1, forKey: EntryKey(key)) }
        func found(_ range: some KeyInterval) async throws -> [[UInt8]] {
            try await namespace.entries(in: range).array().map(\.key.bytes)
        }
        let (a, b) = (EntryKey([97]), EntryKey([98]))
        #expect(try await found(a..<b) == [[97], [97, 0], [97, 1]])
        #expect(try await found(a...b) == [[97], [97, 0], [97, 1], [98]])
        #expect(try await found(...a) == [[97]])
        #expect(try await found(b...) == [[98], [98, 0], [99]])
    }
}
