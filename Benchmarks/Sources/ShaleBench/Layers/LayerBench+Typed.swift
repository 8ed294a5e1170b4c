import Shale
import ShaleEngine

extension LayerBench {
    /// Compares typed sets and gets of numbers and strings with the engine's calls for the same keys and bytes.
    func typedCalls() throws {
        try compare("int", try ValueRing { Int(truncatingIfNeeded: $0 >> 20) })
        try compare("double", try ValueRing { Double($0 >> 12) / 1024 })
        try compare("bool", try ValueRing { $0 & 1 == 0 })
        try compare("string", try ValueRing { TypedValue.text($0) }, copies: true)
    }

    private func compare<Value: StorableValue & Equatable>(
        _ kind: String, _ ring: ValueRing<Value>, copies: Bool = false
    ) throws {
        let store = try stores.store(kind)
        let calls = TypedCalls(
            namespace: store.common["typed"], engine: store.engine,
            id: try store.engine.createNamespace(named: Array("bytes".utf8)), ring: ring, copies: copies)
        let (entries, count) = (assignment.entries, operations)
        let written = VisitedKeys(count: count, of: entries, seed: assignment.seed, beginsWithAll: true)
        try emit(
            "set" + kind,
            [
                Turns.Side(peer: Contender.shale) { try calls.setTyped(written, $0) },
                Turns.Side(peer: "engine") { try calls.setBytes(written, $0) },
            ], operations: count, valueBytes: ring.storedBytes)
        try settle()
        let read = VisitedKeys(count: count, of: entries, seed: ~assignment.seed, beginsWithAll: false)
        try emit(
            "get" + kind,
            [
                Turns.Side(peer: Contender.shale) { try calls.getTyped(read, $0) },
                Turns.Side(peer: "engine") { try calls.getBytes(read, $0) },
            ], operations: count, valueBytes: ring.storedBytes)
        try close()
        try open()
    }
}
