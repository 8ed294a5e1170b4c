import Shale
import ShalePlatform
import TestSupport
import Testing

/// `for try await` over a scan.
@Suite struct AsyncScanTests {
    @Test func aLoopDeliversEveryEntryInOrder() async throws {
        let fixture = try StoreFixture()
        for index in 0..<1000 { try fixture["n"].set(index, forKey: "k\(10_000 + index)") }
        var values: [Int] = []
        for try await entry in fixture["n"].entries { values.append(try entry.value(as: Int.self)) }
        #expect(values == Array(0..<1000))
        values = []
        for try await entry in fixture["n"].entries(prefix: "k100").reversed().after("k10050") {
            values.append(try entry.value(as: Int.self))
        }
        #expect(values == Array((0..<50).reversed()))
        for try await key in fixture["missing"].keys { Issue.record("there is a key \(key)") }
    }

    /// A page ends with a large entry, so memory stays bounded.
    @Test func largeEntriesComeInSmallPages() async throws {
        let fixture = try StoreFixture()
        let large = [UInt8](repeating: 7, count: 300_000)
        for index in 0..<5 { try fixture["n"].set(large, forKey: "\(index)") }
        var count = 0
        for try await entry in fixture["n"].entries {
            #expect(try entry.value(as: [UInt8].self) == large)
            count += 1
        }
        #expect(count == 5)
    }

    @Test func aLoopSeesTheMomentItBegan() async throws {
        let fixture = try StoreFixture()
        for index in 0..<600 { try fixture["n"].set(index, forKey: "k\(1000 + index)") }
        var count = 0
        for try await _ in fixture["n"].keys {
            if count == 0 {
                try fixture["n"].removeAll(in: "k1300"...)
                try fixture["n"].set(true, forKey: "k1001a")
            }
            count += 1
        }
        #expect(count == 600)
    }

    @Test func theErrorIsTyped() async throws {
        let fixture = try StoreFixture()
        try await fixture.store.close()
        do throws(StorageError) {
            for try await _ in fixture["n"].keys {}
            Issue.record("the store is closed")
        } catch {
            #expect(error.code == .closed)
        }
        try fixture.reopen()
    }

    @Test func aCancelledTaskEndsTheLoop() async throws {
        let fixture = try StoreFixture()
        for index in 0..<10 { try fixture["n"].set(index, forKey: "\(index)") }
        let namespace = fixture["n"]
        let task = Task { () -> StorageError.Code? in
            while !Task.isCancelled { await Task.yield() }
            do throws(StorageError) {
                for try await _ in namespace.keys {}
                return nil
            } catch {
                return error.code
            }
        }
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    /// More walks than the pool has threads advance together: none of them waits for the disk on a thread of the pool.
    @Test func manyLoopsAdvanceTogether() async throws {
        let fixture = try StoreFixture()
        for index in 0..<2000 { try fixture["n"].set(index, forKey: "k\(index)") }
        let namespace = fixture["n"]
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    var count = 0
                    for try await _ in namespace.keys { count += 1 }
                    return count
                }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 2000, count: 32))
    }
}
