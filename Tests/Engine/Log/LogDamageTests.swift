import ShaleBase
import ShaleLog
import ShalePlatform
import Testing

@Suite struct LogDamageTests {
    /// The pattern of syncs between appends.
    enum Syncs: CaseIterable { case never, everyRecord, onceInTheMiddle, everyRecordAndMark }

    private func log(
        _ syncs: Syncs, sizes: [Int], preallocate: UInt64 = 0, isSingle: (Int) -> Bool = { _ in false }
    ) throws -> TestLog {
        var log = try TestLog(preallocate: preallocate)
        for (i, size) in sizes.enumerated() {
            if isSingle(i) { try log.append(single: TestLog.record(i, size)) } else { try log.append(count: size) }
            switch syncs {
            case .never: break
            case .everyRecord, .everyRecordAndMark: try log.sync()
            case .onceInTheMiddle: if i == sizes.count / 2 { try log.sync() }
            }
        }
        if syncs == .everyRecordAndMark { try log.writer.appendMark() }
        return log
    }

    @Test(arguments: Syncs.allCases)
    func everyFlippedBitFollowsTheRule(_ syncs: Syncs) throws {
        try checkEveryFlippedBit(try log(syncs, sizes: [40, 0, 25, 90, 3], preallocate: 512))
    }

    @Test(arguments: Syncs.allCases, [0, 1])
    func everyFlippedBitNearSingleChunksFollowsTheRule(_ syncs: Syncs, _ parity: Int) throws {
        try checkEveryFlippedBit(
            try log(syncs, sizes: [40, 13, 25, 90, 14], preallocate: 512) { ($0 + parity) % 2 == 0 })
    }

    private func checkEveryFlippedBit(_ log: TestLog) throws {
        let content = log.content
        let model = DamageModel(content)
        for position in 64..<content.count {
            for bit in 0..<8 {
                var damaged = content
                damaged[position] ^= UInt8(1 << bit)
                let complaint = model.complaint(about: TestLog.read(damaged), of: damaged, records: log.records)
                #expect(complaint == nil, "byte=\(position) bit=\(bit)")
            }
        }
    }

    @Test(arguments: Syncs.allCases)
    func everyZeroedSectorFollowsTheRule(_ syncs: Syncs) throws {
        let log = try log(syncs, sizes: [900, 40_000, 10, 500, 33_000, 2000, 132], preallocate: 1 << 17)
        let model = DamageModel(log.content)
        for sector in stride(from: 512, to: log.content.count, by: 512) {
            var damaged = log.content
            for i in sector..<sector + 512 { damaged[i] = 0 }
            let complaint = model.complaint(about: TestLog.read(damaged), of: damaged, records: log.records)
            #expect(complaint == nil, "sector=\(sector)")
        }
    }

    @Test(arguments: Syncs.allCases)
    func everyFlippedHeaderBitIsAnError(_ syncs: Syncs) throws {
        let log = try log(syncs, sizes: [10, 20])
        for position in 0..<64 {
            for bit in 0..<8 {
                var damaged = log.content
                damaged[position] ^= UInt8(1 << bit)
                let error = TestLog.read(damaged).error
                #expect(error?.code == .corruption || error?.code == .newerFormat, "byte=\(position) bit=\(bit)")
                #expect(error?.file == "wal/" + TestLog.name)
                #expect(error?.offset != nil)
            }
        }
    }

    @Test(arguments: 0..<150 as Range<UInt64>)
    func randomDamageFollowsTheRule(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var log = try TestLog(preallocate: Bool.random(using: &random) ? 0 : 1 << 17)
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let large = Int.random(in: 0..<5, using: &random) == 0
            let count = Int.random(in: 13...(large ? 50_000 : 300), using: &random)
            if Bool.random(using: &random) {
                try log.append(single: TestLog.record(log.records.count, count))
            } else {
                try log.append(count: count)
            }
            if Bool.random(using: &random) { try log.sync() }
            if Int.random(in: 0..<6, using: &random) == 0 { try log.writer.appendMark() }
        }
        let model = DamageModel(log.content)
        var damaged = log.content
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let from = Int.random(in: 64..<damaged.count, using: &random)
            let to = min(damaged.count, from + (1 << Int.random(in: 0...14, using: &random)))
            switch Int.random(in: 0..<4, using: &random) {
            case 0: for i in from..<to { damaged[i] = 0 }
            case 1: for i in from..<to { damaged[i] = UInt8.random(in: 0...255, using: &random) }
            case 2: damaged[from] ^= 1
            default: damaged.removeLast(damaged.count - max(64, from))
            }
            if damaged.count <= 64 { break }
        }
        let complaint = model.complaint(about: TestLog.read(damaged), of: damaged, records: log.records)
        #expect(complaint == nil, "seed=\(seed)")
    }

    @Test func aSingleChunkWitnessesEarlierSyncs() throws {
        var log = try TestLog()
        try log.append(count: 100)
        try log.append(count: 100)
        try log.sync()
        try log.append(single: TestLog.record(2, 50))
        var damaged = log.content
        damaged[64 + 120 + 30] ^= 1
        #expect(TestLog.read(damaged).error?.offset == 64 + 120)
        damaged[Int(log.writer.endOffset) - 1] ^= 1  // Damages the witness too.
        #expect(TestLog.read(damaged).error == nil)
    }

    @Test func aMarkWitnessesTheLastRecord() throws {
        var log = try TestLog()
        try log.append(count: 20)
        try log.append(count: 30)
        try log.sync()
        let last = Int(log.writer.endOffset) - 1

        var damaged = log.content
        damaged[last] ^= 1
        #expect(TestLog.read(damaged).error == nil)  // The documented limit: nothing follows the last synced chunk.

        try log.writer.appendMark()
        damaged = log.content
        damaged[last] ^= 1
        #expect(TestLog.read(damaged).error?.code == .corruption)
        let end = TestLog.read(log.content).end
        #expect(end == LogEnd(offset: log.writer.endOffset, tornBytes: 0, lastSyncedOffset: UInt64(last + 1)))
    }

    @Test func aWitnessIsFoundInsideTheDamagedBlock() throws {
        var log = try TestLog()
        for _ in 0..<3 {
            try log.append(count: 100)
            try log.sync()
        }
        var damaged = log.content
        damaged[64 + 8] = 0xff  // The length, so that a walk does not reach the next chunk.
        damaged[64 + 9] = 0xff
        let result = TestLog.read(damaged)
        #expect(result.error?.code == .corruption)
        #expect(result.error?.offset == 64)
    }

    @Test func aWitnessInTheLastBytesOfABlockIsFound() throws {
        var log = try TestLog()
        try log.append(count: 100)
        try log.append(count: 32768 - 64 - 120 - 20 - 20)
        try log.sync()
        try log.writer.appendMark()
        #expect(log.writer.endOffset == 32768)
        var damaged = log.content
        damaged[90] ^= 1
        #expect(TestLog.read(damaged).error?.offset == 64)
    }

    @Test func onlyBytesAppendedBeforeASyncAreWitnessed() throws {
        var log = try TestLog()
        try log.append(count: 10)
        let end = log.writer.endOffset
        try log.append(count: 10)
        try log.writer.sync()
        log.writer.markSynced(through: end)
        log.writer.markSynced(through: 64)  // The offset never falls.
        #expect(log.writer.syncedOffset == end)
        try log.append(count: 10)

        var damaged = log.content
        damaged[Int(end) + 25] ^= 1
        let result = TestLog.read(damaged)
        #expect(result.error == nil)
        #expect(result.records == [log.records[0]])
        damaged[64 + 25] ^= 1
        #expect(TestLog.read(damaged).error?.offset == 64)
    }

    @Test func anErrorStays() throws {
        var log = try TestLog()
        try log.append(count: 100)
        try log.sync()
        try log.append(count: 100)
        var damaged = log.content
        damaged[90] ^= 4
        let reader = try TestLog.reader(damaged)
        for _ in 0..<2 {
            let error = #expect(throws: StorageError.self) { try reader.next() }
            #expect(error?.code == .corruption)
        }
    }
}
