import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// Ranges of values are the bytes of the whole value, whether the value is in a value file or not.
@Suite struct ValuePartTests {
    private static let chunk = 64 << 10

    private func content(_ length: Int) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11 &+ length) }
    }

    /// A store in which values of at least 100 bytes are in value files.
    private func makeStore() throws -> TestStore { try TestStore { $0.largeValueBytes = 100 } }

    @Test func anyRangeOfAnyValueIsRead() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        let lengths = [0, 1, 99, 100, Self.chunk, 3 * Self.chunk + 7]
        for length in lengths { try store.engine.put(content(length), forKey: Array("\(length)".utf8), in: a) }
        for _ in 0..<2 {
            for length in lengths {
                let whole = content(length)
                for range in [0..<0, 0..<1, 1..<90, 50..<length + 50, 0..<Int.max, length..<length + 1] + [
                    Self.chunk - 1..<Self.chunk + 1, Self.chunk..<2 * Self.chunk, Int.max..<Int.max,
                ] where range.lowerBound <= range.upperBound {
                    let part = try unsafe store.engine.value(
                        forKey: Array("\(length)".utf8).span.bytes, bytes: range, in: a)
                    #expect(part == Array(whole[range.clamped(to: 0..<length)]), "\(length): \(range)")
                }
            }
            try store.engine.flush()
        }
    }

    @Test func aMissingKeyIsNil() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        #expect(try unsafe store.engine.value(forKey: [1].span.bytes, bytes: 0..<10, in: a) == nil)
    }

    @Test func aRangeBelowZeroIsRefused() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        try store.engine.put(content(200), forKey: [1], in: a)
        let code = code { () throws(StorageError) in
            _ = try unsafe store.engine.value(forKey: [1 as UInt8].span.bytes, bytes: -1..<10, in: a)
        }
        #expect(code == .invalidArgument)
    }

    @Test func aSnapshotHasItsOwnRange() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        try store.engine.put(content(500), forKey: [1], in: a)
        let snapshot = store.engine.snapshot()
        try store.engine.put(content(600), forKey: [1], in: a)
        try store.engine.compact()
        let key: [UInt8] = [1]
        #expect(
            try unsafe store.engine.value(forKey: key.span.bytes, bytes: 400..<700, in: a, at: snapshot)
                == Array(content(500)[400...]))
        #expect(
            try unsafe store.engine.value(forKey: key.span.bytes, bytes: 400..<700, in: a)
                == Array(content(600)[400...]))
    }

    /// Damage outside of the chunks of a range does not fail the range.
    @Test func onlyDamageInTheChunksOfTheRangeIsFound() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        try store.engine.put(content(4 * Self.chunk), forKey: [1], in: a)
        try store.engine.flush()
        let file = try #require(store.files.paths().first { $0.hasSuffix(".val") })
        store.files.corrupt(file, at: 88 + 2 * Self.chunk + 5, xor: 1)
        let key: [UInt8] = [1]
        #expect(
            try unsafe store.engine.value(forKey: key.span.bytes, bytes: 0..<2 * Self.chunk, in: a)
                == Array(content(4 * Self.chunk)[..<(2 * Self.chunk)]))
        let error = #expect(throws: StorageError.self) {
            try unsafe store.engine.value(forKey: key.span.bytes, bytes: 2 * Self.chunk..<2 * Self.chunk + 1, in: a)
        }
        #expect(error?.code == .corruption && error?.offset == 88 + UInt64(2 * Self.chunk))
        #expect(throws: StorageError.self) { try unsafe store.engine.value(forKey: key.span.bytes, in: a) }
        #expect(try store.engine.verify().problems.count == 1)
    }
}
