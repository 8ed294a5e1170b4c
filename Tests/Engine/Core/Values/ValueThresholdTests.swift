import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// A namespace may have a size of its own from which its values go to value files.
@Suite struct ValueThresholdTests {
    private static let value = String(repeating: "v", count: 500)

    private func isInFile(_ store: TestStore, _ key: String, _ namespace: NamespaceID) throws -> Bool {
        #expect(try store.get(key, in: namespace) == Self.value)
        return try unsafe store.engine.withParts(forKey: Array(key.utf8).span.bytes, in: namespace) { !$0.isInMemory }
            ?? false
    }

    @Test(arguments: [0, 100, 1000]) func aNamespaceFollowsItsOwnSize(_ standard: Int) throws {
        let store = try TestStore { $0.largeValueBytes = standard }
        let (a, b, c) = (try store.namespace("a"), try store.namespace("b"), try store.namespace("c"))
        try store.put("before", Self.value, in: a)
        try store.engine.setLargeValueBytes(200, of: a)
        try store.engine.setLargeValueBytes(0, of: b)
        for namespace in [a, b, c] { try store.put("k", Self.value, in: namespace) }
        var batch = WriteBatch()
        for namespace in [a, b, c] {
            try unsafe batch.put(Array(Self.value.utf8).span.bytes, forKey: [1 as UInt8].span.bytes, in: namespace)
        }
        try store.engine.write(batch)
        let isStandard = standard == 100
        func check() throws {
            #expect(try isInFile(store, "before", a) == isStandard)
            for key in ["k", "\u{1}"] {
                #expect(try isInFile(store, key, a))
                #expect(try !isInFile(store, key, b))
                #expect(try isInFile(store, key, c) == isStandard)
            }
        }
        try check()
        try store.engine.flush()
        try check()
        try store.reopen()
        try check()
        try store.engine.setLargeValueBytes(200, of: c)
        try store.engine.setLargeValueBytes(nil, of: c)
        try store.put("k", Self.value, in: c)
        #expect(try isInFile(store, "k", c) == isStandard)
        #expect(try store.engine.verify().problems.isEmpty)
    }

    @Test func sizesOutOfBoundsAreRefused() throws {
        let store = try TestStore()
        let a = try store.namespace("a")
        for bytes in [-1, 1, 63, (32 << 20) + 1] {
            #expect(
                code { () throws(StorageError) in try store.engine.setLargeValueBytes(bytes, of: a) }
                    == .invalidArgument)
        }
    }
}
