import Foundation
import Shale
import TestSupport
import Testing

/// Stores that are opened by URL, and stores in memory.
@Suite struct StoreLocationTests {
    @Test func aFileURLOpensTheStoreOfItsPath() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("shale url \(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let store = try Store(at: url)
        try store.common["n"].set(1, forKey: "a")
        let other = try Store(at: url.path)
        #expect(try other.common["n"].int(forKey: "a") == 1)
        try other.close()
        try store.close()
    }

    @Test(arguments: ["https://example.com/store", "file:relative%00zero"])
    func anyOtherURLIsRefused(_ text: String) throws {
        let url = try #require(URL(string: text))
        #expect(code { () throws(StorageError) in try Store(at: url) } == .invalidArgument)
    }

    @Test func everyMemoryStoreIsEmptyAndItsOwn() throws {
        let first = try Store.inMemory()
        let second = try Store.inMemory()
        try first.common["n"].set(1, forKey: "a")
        #expect(try first.common["n"].int(forKey: "a") == 1)
        #expect(try !second.common["n"].contains("a"))
        #expect(first.health.isGood)
        try first.close()
        #expect(code { () throws(StorageError) in try first.common["n"].int(forKey: "a") } == .closed)
        try second.close()
        let third = try Store.inMemory()
        #expect(try !third.common["n"].contains("a"))
        try third.close()
    }

    @Test func aMemoryStoreFlushesCompactsAndVerifies() throws {
        var options = Store.Options()
        options.engine.memtableBytes = 64 << 10
        options.engine.memoryBudget = 8 << 20
        let store = try Store.inMemory(options: options)
        let namespace = store.common["n"]
        for index in 0..<5000 {
            try namespace.set(
                String(repeating: "x", count: 100), forKey: "\(index)", options: index % 2 == 0 ? .purgeable : [])
        }
        try store.write(durability: .synced) { try $0.set(1, forKey: "synced", in: namespace) }
        try store.sync()
        try store.engine.flush()
        try store.engine.compact()
        #expect(try store.engine.verify().problems.isEmpty)
        let report = try store.purge()
        #expect(report.entries >= 2500)
        #expect(try namespace.count() == 2501)
        try store.close()
    }

    @Test func aModeThatCreatesNothingIsMissing() throws {
        var options = Store.Options()
        options.engine.mode = .readOnly
        #expect(code { () throws(StorageError) in try Store.inMemory(options: options) } == .missing)
    }
}
