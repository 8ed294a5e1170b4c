import ShaleBase
import ShaleLog
import ShalePlatform
import ShaleSimulation
import Testing

/// Logs on a disk that loses, tears, zeroes and reorders unsynced writes.
@Suite struct LogCrashTests {
    private static let name = "0000000012.wal"

    private struct History {
        let fileSystem = SimulatedFileSystem()
        var records: [[UInt8]] = []
        /// The number of records that a returned sync has covered.
        var durableCount = 0
    }

    private func record(_ index: Int, _ random: SeededRandom) -> [UInt8] {
        let count = random.chance(0.1) ? random.below(90_000) : random.below(400)
        return (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ index &* 7 &+ 1) }
    }

    /// Appends, marks and syncs in random order; records may arrive during a sync. Ends early when a call fails.
    private func write(_ history: inout History, _ random: SeededRandom) throws {
        let directory = try history.fileSystem.openDirectory("/store/wal", create: true)
        let writer = try LogWriter(
            directory: directory, name: LogCrashTests.name, number: 12, kind: .wal, previous: .none,
            preallocate: random.chance(0.3) ? 0 : 1 << 17, isMapped: random.chance(0.5))
        try directory.sync()
        for index in 0..<(5 + random.below(25)) {
            let memory = OwnedBytes(record(index, random))
            // A record whose append fails may be in the log nevertheless.
            history.records.append(memory.bytes.array())
            try withExtendedLifetime(memory) { try writer.append(memory.bytes) }
            guard random.chance(0.3) else { continue }
            let end = writer.endOffset
            let covered = history.records.count
            if random.chance(0.5) {
                let late = OwnedBytes(record(index + 1000, random))
                history.records.append(late.bytes.array())
                try withExtendedLifetime(late) { try writer.append(late.bytes) }
            }
            try writer.sync()
            history.durableCount = covered
            writer.markSynced(through: end)
            if random.chance(0.3) { try writer.appendMark() }
        }
    }

    private func expectPrefix(
        _ history: History, after policy: CrashPolicy, seed: UInt64, atLeast: Int, _ comment: Comment
    ) throws {
        let clone = history.fileSystem.crashClone(policy, seed: seed)
        let directory = try clone.openDirectory("/store/wal", create: true)
        guard try directory.exists(LogCrashTests.name) else {
            #expect(atLeast == 0, comment)
            return
        }
        let reader = try LogReader(
            file: directory.open(LogCrashTests.name), path: LogCrashTests.name, number: 12, kind: .wal,
            mayLackHeader: true)
        var recovered: [[UInt8]] = []
        _ = try reader.forEach { recovered.append($0.payload.array()) }
        #expect(recovered.count >= atLeast, comment)
        #expect(recovered == Array(history.records.prefix(recovered.count)), comment)
    }

    private static let policies: [CrashPolicy] = [.dropAll, .keepAll, .random, .randomPrefix, .hostile, .dataOnly]

    @Test(arguments: 0..<60 as Range<UInt64>)
    func afterPowerLossEverySyncedRecordIsThereAndNoneIsInvented(_ seed: UInt64) throws {
        var history = History()
        try write(&history, SeededRandom(seed: seed))
        for (index, policy) in LogCrashTests.policies.enumerated() {
            try expectPrefix(
                history, after: policy, seed: seed, atLeast: history.durableCount, "seed=\(seed) policy=\(index)")
        }
        try expectPrefix(history, after: .processKill, seed: seed, atLeast: history.records.count, "seed=\(seed)")
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func aMachineThatStopsAtAnyCallLosesNothingThatWasSynced(_ seed: UInt64) throws {
        let random = SeededRandom(seed: seed)
        var history = History()
        history.fileSystem.inject(FaultRule(when: .index(3 + random.below(60)), .crashHere))
        // Short histories may end before the fault.
        do { try write(&history, random) } catch { #expect(error is IOFailure) }
        for (index, policy) in LogCrashTests.policies.enumerated() {
            try expectPrefix(
                history, after: policy, seed: seed, atLeast: history.durableCount, "seed=\(seed) policy=\(index)")
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func aFailedCallLeavesALogThatCanBeRead(_ seed: UInt64) throws {
        let random = SeededRandom(seed: seed)
        var history = History()
        history.fileSystem.inject(
            FaultRule(
                on: [.write, .sync, .preallocate], when: .match(2 + random.below(40)),
                random.chance(0.5) ? .error(5) : .shortWrite(keeping: random.below(300), error: 28)))
        do { try write(&history, random) } catch { #expect(error is IOFailure) }
        try expectPrefix(history, after: .processKill, seed: seed, atLeast: history.durableCount, "seed=\(seed)")
        try expectPrefix(history, after: .random, seed: seed, atLeast: history.durableCount, "seed=\(seed)")
    }
}
