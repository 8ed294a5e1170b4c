import ShaleBase
import ShaleEngine
import ShalePlatform
import TestSupport
import Testing

/// A value has at most 1 GiB. Nothing else ends a stream early.
@Suite struct StreamLimitTests {
    @Test func aStreamEndsAtOneGibibyte() throws {
        let directory = try TemporaryStore()
        let engine = try Engine.open(at: directory.path)
        let a = try engine.createNamespace(named: [97])
        let writer = try engine.makeValueWriter()
        let piece = [UInt8](repeating: 7, count: 64 << 20)
        let rounds = Ring.choose(commit: 1, nightly: 16, release: 16)
        for _ in 0..<rounds { try unsafe writer.append(piece.span.bytes) }
        if rounds == 16 {
            #expect(code { () throws(StorageError) in try unsafe writer.append([1].span.bytes) } == .invalidArgument)
        }
        #expect(Engine.ValueWriter.byteCountMax == 1 << 30)
        let key: [UInt8] = [1]
        try unsafe writer.commit(forKey: key.span.bytes, in: a)
        let end = rounds * piece.count
        #expect(try unsafe engine.value(forKey: key.span.bytes, bytes: end - 2..<end + 5, in: a) == [7, 7])
        try engine.close()
    }

    /// Writers of other values go on beside streams, which commit in any order.
    @Test func streamsOfSeveralThreadsAndOtherWritersDoNotDisturbEachOther() throws {
        let directory = try TemporaryStore()
        var options = Engine.Options()
        options.memtableBytes = 256 << 10
        let engine = try Engine.open(at: directory.path, options: options)
        let a = try engine.createNamespace(named: [97])
        let rounds = Ring.choose(commit: 4, nightly: 30, release: 10)
        try TestThreads.run(4) { thread in
            for round in 0..<rounds {
                if thread == 0 {
                    for i in 0..<2000 {
                        try unsafe engine.put(
                            [UInt8](repeating: 1, count: 100).span.bytes,
                            forKey: Array("s\(round)-\(i)".utf8).span.bytes, in: a)
                    }
                    continue
                }
                let writer = try engine.makeValueWriter()
                let byte = UInt8(thread * 31 + round)
                for _ in 0..<3 { try unsafe writer.append([UInt8](repeating: byte, count: 700_001).span.bytes) }
                try unsafe writer.commit(forKey: Array("k\(thread)".utf8).span.bytes, in: a)
                let found = try unsafe engine.value(forKey: Array("k\(thread)".utf8).span.bytes, in: a)
                #expect(found == [UInt8](repeating: byte, count: 3 * 700_001))
            }
        }
        try engine.compact()
        try engine.reclaim()
        #expect(try engine.verify().problems.isEmpty)
        #expect(try engine.entries(in: a).filter { $0.key.first == UInt8(ascii: "k") }.count == 3)
        try engine.close()
    }
}
