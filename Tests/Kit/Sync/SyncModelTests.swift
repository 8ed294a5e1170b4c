import ShalePlatform
import SyncModel
import TestSupport
import Testing

/// Devices and a server agree at the end of random histories: partitions, lost, repeated and reordered messages, kills,
/// power cuts and wrong clocks are drawn.
///
/// `SYNC_HISTORIES` sets the number of histories, `SYNC_HISTORY` runs one alone. A failure is made smaller, and its
/// message has the operations that remain.
@Suite struct SyncModelTests {
    private static let length = 160

    private static func operations(of history: UInt64) -> [UInt64] {
        let random = SeededRandom(seed: history ^ 0x5C1C)
        return (0..<length).map { _ in random.next() }
    }

    /// Runs a history. Returns its failure.
    private static func failure(
        _ history: UInt64, _ operations: [UInt64], _ total: inout SyncWorld.Coverage
    ) -> String? {
        do {
            let world = try SyncWorld(seed: history)
            defer { total.add(world.coverage) }
            try world.run(operations)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Two lanes run at the same time.
    @Test(arguments: [0, 1]) func everyHistoryEndsInAgreement(_ lane: Int) {
        let count =
            Ring.setting("SYNC_HISTORIES").flatMap { Int($0) }
            ?? Ring.choose(commit: 1000, nightly: 100_000, release: 100_000)
        let alone = Ring.setting("SYNC_HISTORY").flatMap { UInt64($0) }
        var total = SyncWorld.Coverage()
        var histories = 0
        for number in 0..<(alone == nil ? count : 1) where number % 2 == lane {
            let history = alone ?? Ring.seed &+ UInt64(number)
            let operations = Self.operations(of: history)
            histories += 1
            guard let failure = Self.failure(history, operations, &total) else { continue }
            var ignored = SyncWorld.Coverage()
            var last = failure
            let smallest = HistoryShrinking.smallest(operations, attempts: 120) { candidate in
                guard let failure = Self.failure(history, candidate, &ignored) else { return false }
                last = failure
                return true
            }
            Issue.record(
                """
                \(Ring.reproduction) SYNC_HISTORY=\(history): \(failure)
                with \(smallest.count) operations: \(last)
                \(smallest)
                """)
            return
        }
        Ring.covered(histories, "histories of devices and a server", "\(total)")
    }
}

extension SyncWorld.Coverage {
    fileprivate mutating func add(_ other: SyncWorld.Coverage) {
        operations += other.operations
        writes += other.writes
        exchanges += other.exchanges
        lostMessages += other.lostMessages
        repeatedMessages += other.repeatedMessages
        crashes += other.crashes
        lostWrites += other.lostWrites
        removedTombstones += other.removedTombstones
        conflicts += other.conflicts
    }
}
