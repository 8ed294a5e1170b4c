import ShaleBase
import ShaleSimulation
import Testing

@testable import ShaleEngine

/// Contract D-1 and D-3: the versions of a key are replayed in the order in which they were written, alone or in
/// batches.
@Suite struct ReplayOrderTests {
    private static let key = Array("key".utf8)

    private static func write(_ number: Int, _ isBatch: Bool, _ store: TestStore, _ namespace: NamespaceID) throws {
        let value = Array("\(number)".utf8)
        if !isBatch {
            return try unsafe store.engine.put(value.span.bytes, forKey: key.span.bytes, in: namespace)
        }
        var batch = WriteBatch()
        try unsafe batch.put(value.span.bytes, forKey: key.span.bytes, in: namespace, PutOptions())
        try unsafe batch.put(value.span.bytes, forKey: Array("other".utf8).span.bytes, in: namespace, PutOptions())
        try store.engine.write(batch)
    }

    /// All orders of six writes, each alone or in a batch.
    @Test func theLastWriteOfAKeyIsTheOneThatIsThereAfterAKill() throws {
        for order in 0..<(1 << 6) {
            let store = try TestStore()
            let namespace = try store.namespace("n")
            for number in 0..<6 { try Self.write(number, order >> number & 1 != 0, store, namespace) }
            let left = try TestStore.open(store.files.crashClone(.processKill), store.options)
            let value = try unsafe left.value(forKey: Self.key.span.bytes, in: namespace)
            #expect(value == Array("5".utf8), "order \(order)")
            let last = left.statistics.lastSequence
            #expect(last == store.engine.statistics.lastSequence)
        }
    }
}
