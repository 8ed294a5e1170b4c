import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

/// Contract: damage in a segment fails only operations that need the damaged block, with file and
/// offset.
@Suite struct ContainmentTests {
    @Test func aDamagedBlockFailsOnlyWhatNeedsIt() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        let other = try store.namespace("other")
        for i in 0..<64 { try store.put("key\(100 + i)", String(repeating: "\(i) ", count: 100), in: ns) }
        try store.put("key", "value", in: other)
        try store.engine.flush()
        try store.engine.compact()
        let segment = try #require(store.files.paths().first { $0.hasSuffix(".seg") })
        try store.reopen()
        // The first block of the segment: the first keys of the first namespace.
        store.files.corrupt(segment, at: 40, xor: 1)

        let error = #expect(throws: StorageError.self) { try store.get("key100", in: ns) }
        #expect(error?.code == .corruption)
        #expect(error?.file.map { segment.hasSuffix($0) } == true)
        #expect(error?.offset == 0)
        #expect(throws: StorageError.self) { try store.scan(ns) }
        #expect(try store.get("key163", in: ns) == String(repeating: "63 ", count: 100))
        #expect(try store.get("key", in: other) == "value")
        #expect(try store.scan(other) == ["key=value"])

        // A compaction that meets the block stops and keeps its inputs; writes continue.
        try store.put("key100", "new", in: ns)
        try store.put("key101x", "new", in: ns)
        #expect(throws: StorageError.self) { try store.engine.compact() }
        #expect(store.files.paths().contains(segment))
        #expect(try store.get("key100", in: ns) == "new")
        #expect(try store.get("key163", in: ns) == String(repeating: "63 ", count: 100))
        #expect(try !store.engine.verify().problems.isEmpty)
    }
}
