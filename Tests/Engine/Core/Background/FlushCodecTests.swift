import ShaleBase
import ShaleManifest
import ShaleSegment
import Testing

@testable import ShaleEngine

/// DESIGN.md, "Flush and compaction": how the segment of a memtable is compressed.
@Suite struct FlushCodecTests {
    private static func newestCodec(_ store: TestStore) throws -> BlockCodec? {
        try store.engine.core.viewCell.retained().version.levels[0].segments.first?.compression()?.codec
    }

    /// Writers may have to wait for a flush that makes room for them. One that `flush` asks for leaves a store at rest.
    @Test func onlyAFlushThatLeavesTheStoreAtRestIsCompressedAsTheLastLevel() throws {
        let store = try TestStore()
        let namespace = try store.namespace("n")
        var number = 0
        while try FlushCodecTests.newestCodec(store) == nil {
            try store.put("key \(number)", String(repeating: "value ", count: 20), in: namespace)
            number += 1
        }
        #expect(try FlushCodecTests.newestCodec(store) == .lz4)
        try store.put("last", "value", in: namespace)
        try store.engine.flush()
        guard case .zstd = try FlushCodecTests.newestCodec(store) else {
            Issue.record("compressed in haste")
            return
        }
    }
}
