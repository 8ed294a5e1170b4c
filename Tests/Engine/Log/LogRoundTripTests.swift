import ShaleBase
import ShaleLog
import ShalePlatform
import Testing

@Suite struct LogRoundTripTests {
    private func expectRoundTrip(_ log: TestLog, _ comment: Comment? = nil) {
        let result = TestLog.read(log.content)
        #expect(result.error == nil, comment)
        #expect(result.records == log.records, comment)
        #expect(result.end?.offset == log.writer.endOffset, comment)
        #expect(result.end?.wasTorn == false, comment)
    }

    @Test(arguments: [0, 1 << 20] as [UInt64])
    func everySmallSizeComesBack(_ preallocate: UInt64) throws {
        var log = try TestLog(preallocate: preallocate)
        for size in 0...200 { try log.append(count: size) }
        expectRoundTrip(log)
        #expect(TestLog.read(log.content).offsets.first == 64)
    }

    @Test func singleChunksComeBackAsSuch() throws {
        for delta in -45...45 {
            var log = try TestLog()
            try log.append(count: 32768 - 64 - 20 - 300 + delta)
            for size in [13, 100, 100, 50, 13, 300] { try log.append(single: TestLog.record(size, size)) }
            try log.append(count: 7)
            expectRoundTrip(log, "delta=\(delta)")
            // The record at the block's edge takes two chunks.
            #expect([5, 6].contains(TestLog.read(log.content).singles.count), "delta=\(delta)")
        }
    }

    @Test func recordsThatEndNearABlockEdgeComeBack() throws {
        for delta in -45...45 {
            var log = try TestLog()
            try log.append(count: 32768 - 64 - 20 + delta)
            for size in [0, 1, 5, 40] { try log.append(count: size) }
            expectRoundTrip(log, "delta=\(delta)")
        }
    }

    @Test func recordsThatBeginNearABlockEdgeComeBack() throws {
        for delta in -45...0 {
            var log = try TestLog()
            try log.append(count: 32768 - 64 - 20 + delta)
            try log.append(count: 40_000)
            try log.append(count: 3)
            expectRoundTrip(log, "delta=\(delta)")
        }
    }

    @Test func recordsOfManyBlocksComeBack() throws {
        var log = try TestLog(preallocate: 100_000)
        for size in [100_000, 7, 32748, 32749, 65496, 65497, 3 << 20, 0, 1] { try log.append(count: size) }
        expectRoundTrip(log)
    }

    @Test func theEndCanBeComputedBeforehand() throws {
        var log = try TestLog()
        var random = SeededRandom(seed: 7)
        for _ in 0..<200 {
            let size = Int.random(in: 0...Int.random(in: 0...70_000, using: &random), using: &random)
            let expected = LogFormat.endOffset(ofRecord: size, appendedAt: log.writer.endOffset)
            try log.append(count: size)
            #expect(log.writer.endOffset == expected)
        }
        expectRoundTrip(log)
    }

    @Test func recordsBuiltInPlaceEqualCopiedOnes() throws {
        var copied = try TestLog()
        let built = try TestLog()
        for size in [0, 1, 132, 30_000, 2_500, 10, 32_748, 5] {
            try copied.append(count: size)
            let record = copied.records[copied.records.count - 1]
            if let memory = built.writer.reserve(size) {
                for i in 0..<size { memory[i] = record[i] }
                try built.writer.commit()
            } else {
                let memory = OwnedBytes(record)
                try withExtendedLifetime(memory) { try built.writer.append(memory.bytes) }
            }
        }
        #expect(built.content == copied.content)
    }

    @Test func aRecordIsOneWrite() throws {
        var log = try TestLog()
        for size in [0, 132, 32_000, 900, 500_000] { try log.append(count: size) }
        let writes = log.directory.writes
        #expect(writes.count == 6)
        #expect(writes.map { Int($0.offset) + $0.count }.last.map(UInt64.init) == log.writer.endOffset)
    }

    @Test func aLongRecordGoesInPiecesOfAMebibyte() throws {
        var log = try TestLog()
        try log.append(count: 5 << 20)
        let pieces = log.directory.writes.dropFirst().map { $0.count }
        #expect(pieces.dropLast().allSatisfy { $0 >= LogWriter.pieceBytes && $0 <= LogWriter.pieceBytes + 32768 })
        #expect(pieces.count == 5)
        expectRoundTrip(log)
    }

    @Test func spaceIsReservedAheadInSteps() throws {
        var log = try TestLog(preallocate: 64 << 10)
        #expect(log.content.count == 64 << 10)
        try log.append(count: 100_000)
        #expect(log.content.count == (64 << 10) + (1 << 20))
        try log.append(count: 3 << 20)
        #expect(log.content.count % 32768 == 0)
        expectRoundTrip(log)
    }

    @Test func closingGivesUnusedSpaceBack() throws {
        var log = try TestLog(preallocate: 1 << 20)
        try log.append(count: 10)
        try log.writer.close(truncating: true)
        try log.writer.close(truncating: true)
        #expect(log.content.count == Int(log.writer.endOffset))
        expectRoundTrip(log)
    }

    @Test func aLogWithoutRecordsIsEmpty() throws {
        let log = try TestLog(preallocate: 1 << 16)
        expectRoundTrip(log)
        #expect(TestLog.read(log.content).end == LogEnd(offset: 64, tornBytes: 0, lastSyncedOffset: 0))
    }

    @Test func theReaderStaysAtItsEnd() throws {
        var log = try TestLog()
        try log.append(count: 10)
        let reader = try TestLog.reader(log.content)
        #expect(try reader.next() != nil)
        #expect(try reader.next() == nil)
        #expect(try reader.next() == nil)
    }
}
