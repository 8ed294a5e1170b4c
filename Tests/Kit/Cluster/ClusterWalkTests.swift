import ShaleBase
import ShaleCluster
import ShalePlatform
import Testing

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
        var iterator = namespace.entries(prefix: "").makeAsyncIterator()
        var (found, failures): ([String], Int) = ([], 0)
        while true {
            do throws(StorageError) {
                guard let entry = try await iterator.next() else { break }
                found.append(try entry.value(as: String.self))
            } catch {
                #expect(error.code == .unavailable)
                failures += 1
                try #require(failures < 100)
            }
        }
        #expect(found == keys.sorted())
        #expect(failures > 0)
    }
}
