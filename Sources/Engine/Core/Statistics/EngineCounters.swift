import ShaleBase
import ShaleCompaction
import Synchronization

/// Totals of the background threads.
final class EngineCounters: Sendable {
    struct Total: ~Copyable, Sendable {
        private let value = Atomic<UInt64>(0)

        func add(_ amount: UInt64) { value.wrappingAdd(amount, ordering: .relaxed) }
        var current: UInt64 { value.load(ordering: .relaxed) }
    }

    let flushes = Total()
    let flushedBytes = Total()
    let retiredLogBytes = Total()
    let compactions = Total()
    let moves = Total()
    let drops = Total()
    let compactionReadBytes = Total()
    let compactionWrittenBytes = Total()
    let backgroundFailures = Total()
    let longPins = Total()

    func record(_ job: CompactionJob, _ statistics: CompactionStatistics) {
        switch job.kind {
        case .move: moves.add(1)
        case .drop: drops.add(1)
        case .merge, .rewrite: compactions.add(1)
        }
        compactionReadBytes.add(statistics.readBytes)
        compactionWrittenBytes.add(statistics.writtenBytes)
    }
}
