import ShaleBase
import ShaleLog
import ShalePlatform
import TestSupport
import Testing

/// The log ends at its last whole record.
@Suite struct TornTailTests {
    /// Records in three blocks, so that a cut meets every kind of chunk.
    private func smallLog(preallocate: UInt64 = 0) throws -> TestLog {
        var log = try TestLog(preallocate: preallocate)
        for size in [30, 0, 70, 1, 120] { try log.append(count: size) }
        return log
    }

    @Test func aCutAtAnyByteKeepsTheRecordsBeforeIt() throws {
        let log = try smallLog()
        let model = DamageModel(log.content)
        for length in 64...log.content.count {
            let damaged = Array(log.content.prefix(length))
            let result = TestLog.read(damaged)
            let complaint = model.complaint(about: result, of: damaged, records: log.records)
            #expect(complaint == nil, "length=\(length)")
            // A cut exactly between two records, or behind the last, is not a tear.
            let isAtEdge = model.chunks.contains { $0.range.lowerBound == length } || length == log.content.count
            let tornBytes = UInt64(length) - (result.end?.offset ?? 0)
            #expect(
                result.end?.wasTorn
                    == (!isAtEdge && log.content[(length - Int(tornBytes))..<length].contains { $0 != 0 }))
        }
    }

    @Test func aCutInsideTheHeaderIsCorruption() throws {
        let log = try smallLog()
        for length in 0..<64 {
            #expect(TestLog.read(Array(log.content.prefix(length))).error?.code == .corruption)
        }
    }

    @Test func zerosFromAnyByteKeepTheRecordsBeforeIt() throws {
        let log = try smallLog(preallocate: 4096)
        let model = DamageModel(log.content)
        for length in 64...Int(log.writer.endOffset) {
            let damaged = Array(log.content.prefix(length)) + [UInt8](repeating: 0, count: 4096 - length)
            let complaint = model.complaint(about: TestLog.read(damaged), of: damaged, records: log.records)
            #expect(complaint == nil, "length=\(length)")
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func garbageBehindTheEndIsATornTail(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let log = try smallLog()
        let garbage = (0..<Int.random(in: 1...3000, using: &random)).map { _ in
            UInt8.random(in: 1...255, using: &random)
        }
        let result = TestLog.read(log.content + garbage)
        #expect(result.error == nil)
        #expect(result.records == log.records)
        #expect(
            result.end
                == LogEnd(offset: log.writer.endOffset, tornBytes: UInt64(garbage.count), lastSyncedOffset: 0))
    }

    @Test func aRecordThatNeverGotItsLastChunkIsTorn() throws {
        var log = try TestLog()
        try log.append(count: 100)
        let end = log.writer.endOffset
        try log.append(count: 80_000)
        for length in [32768, 65536, 65535, 70_000] {
            let result = TestLog.read(Array(log.content.prefix(length)))
            #expect(result.error == nil)
            #expect(result.records == [log.records[0]])
            #expect(result.end?.offset == end)
            #expect(result.end?.tornBytes == UInt64(length) - end)
        }
    }

    @Test func aRecordWithoutItsMiddleIsTorn() throws {
        var log = try TestLog()
        try log.append(count: 100)
        try log.append(count: 80_000)
        var damaged = log.content
        for i in 32768..<65536 { damaged[i] = 0 }
        let result = TestLog.read(damaged)
        #expect(result.error == nil)
        #expect(result.records == [log.records[0]])
        #expect(result.end?.wasTorn == true)
    }

    @Test func aSyncedRecordWithoutItsMiddleIsCorruption() throws {
        var log = try TestLog()
        try log.append(count: 100)
        try log.append(count: 80_000)
        try log.sync()
        try log.append(count: 1)
        var damaged = log.content
        for i in 32768..<65536 { damaged[i] = 0 }
        let result = TestLog.read(damaged)
        #expect(result.error?.code == .corruption)
        #expect(result.error?.offset == 32768)
    }

    @Test func theEndOfASpliceFromAnotherLogIsTorn() throws {
        var log = try TestLog(number: 12)
        var other = try TestLog(number: 13)
        for size in [50, 60, 70, 80] {
            try log.append(count: size)
            try other.append(count: size)
            try other.sync()
        }
        let cut = 64 + 70 + 80
        let result = TestLog.read(Array(log.content[..<cut]) + other.content[cut...])
        #expect(result.error == nil)
        #expect(result.records == Array(log.records.prefix(2)))
        #expect(result.end?.tornBytes == 90 + 100)
    }

    @Test func aLogWhoseHeaderNeverReachedTheDiskIsEmpty() throws {
        let log = try smallLog(preallocate: 1 << 16)
        for damaged in [[], [UInt8](repeating: 0, count: 1 << 16), Array(log.content.prefix(40))] {
            let reader = try TestLog.reader(damaged, mayLackHeader: true)
            #expect(reader.header == nil)
            #expect(try reader.next() == nil)
            #expect(reader.end?.offset == 0)
        }
        var lostFirstSector = log.content
        for i in 0..<64 { lostFirstSector[i] = 0 }
        let result = TestLog.read(lostFirstSector, mayLackHeader: true)
        #expect(result.error == nil)
        #expect(result.records.isEmpty)
        #expect(result.end?.wasTorn == true)
    }

    @Test func aDamagedHeaderOfALogThatWasSyncedIsCorruption() throws {
        var log = try TestLog()
        try log.sync()
        try log.append(count: 10)
        var damaged = log.content
        for i in 0..<64 { damaged[i] = 0 }
        let result = TestLog.read(damaged, mayLackHeader: true)
        #expect(result.error?.code == .corruption)
        #expect(result.error?.offset == 0)
    }
}
