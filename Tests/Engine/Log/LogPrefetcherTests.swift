import ShaleBase
import ShaleLog
import ShalePlatform
import Testing

/// A prefetcher returns the same records as a reader, in groups.
@Suite struct LogPrefetcherTests {
    /// Returns a log of several groups; the prefetcher copies some records and lends others.
    private func longLog() throws -> TestLog {
        var log = try TestLog(preallocate: 1 << 20)
        for round in 0..<60 {
            for size in [100, 13, 40_000, 3000] { try log.append(single: TestLog.record(round, size)) }
            if round % 9 == 4 { try log.append(count: LogRecordGroup.copiedRecordMax + round) }
            if round == 30 { try log.append(count: 3 << 20) }
        }
        return log
    }

    private func read(_ content: [UInt8], isAhead: Bool) throws -> ReadResult {
        var result = ReadResult()
        let reader = try TestLog.reader(content)
        let prefetcher = LogPrefetcher(reader, isAhead: isAhead)
        do {
            while let group = try prefetcher.next() {
                #expect(!group.isEmpty)
                var records = group.records
                while let record = records.next() {
                    result.records.append(record.payload.array())
                    result.offsets.append(record.offset)
                    if record.isSingle { result.singles.insert(record.offset) }
                }
            }
            #expect(try prefetcher.next() == nil, "the end stays")
            result.end = reader.end
        } catch {
            result.error = error
            #expect(throws: StorageError.self, "a failure stays") { try prefetcher.next() }
        }
        prefetcher.stop()
        return result
    }

    private func expectSame(_ content: [UInt8], isAhead: Bool) throws {
        let expected = TestLog.read(content)
        let found = try read(content, isAhead: isAhead)
        #expect(found.records == expected.records)
        #expect(found.offsets == expected.offsets)
        #expect(found.singles == expected.singles)
        #expect(found.end == expected.end)
        #expect(found.error?.code == expected.error?.code)
        #expect(found.error?.offset == expected.error?.offset)
    }

    @Test(arguments: [false, true])
    func itReturnsTheSameRecordsAsAReader(_ isAhead: Bool) throws {
        let log = try longLog()
        #expect(try read(log.content, isAhead: isAhead).records == log.records)
        try expectSame(log.content, isAhead: isAhead)
        try expectSame(try TestLog().content, isAhead: isAhead)
    }

    /// With and without a later chunk that proves that the damaged part was synced.
    @Test(arguments: [false, true], [false, true])
    func damageSurfacesBehindTheRecordsBeforeIt(_ isAhead: Bool, _ wasSynced: Bool) throws {
        var log = try longLog()
        if wasSynced {
            try log.sync()
            try log.append(count: 7)
        }
        for position in [70, 1 << 20, (3 << 20) + 11, Int(log.writer.endOffset) - 100] {
            var damaged = log.content
            damaged[position] ^= 4
            let error = TestLog.read(damaged).error
            #expect((error?.code == .corruption) == wasSynced, "position=\(position)")
            try expectSame(damaged, isAhead: isAhead)
        }
    }

    /// A caller that finds an invalid record stops the prefetcher before the end.
    @Test func itCanBeStoppedAnywhere() throws {
        let content = try longLog().content
        for groups in 0..<8 {
            let prefetcher = LogPrefetcher(try TestLog.reader(content), isAhead: true)
            for _ in 0..<groups { #expect(try prefetcher.next() != nil) }
            prefetcher.stop()
        }
    }
}
