import ShaleBase
import ShaleMemtable
import ShalePlatform
import Synchronization

/// The state that determines how much writers are slowed.
struct PressureInputs {
    let l0Count: Int
    let l0Slow: Int
    let l0Stop: Int
    let immutables: Int
    let immutablesMax: Int
    /// The fill of the mutable memtable or of its value file, from 0 to 1.
    let fillShare: Double

    /// The pressure from 0 (none) to 1 (writers have to wait for work to finish).
    var pressure: Double {
        let l0 = Double(l0Count - l0Slow) / Double(max(1, l0Stop - l0Slow))
        let memtables = immutables >= immutablesMax ? fillShare : 0
        return min(1, max(0, max(l0, memtables)))
    }
}

/// Slows writers smoothly when background work falls behind, so that they seldom have to stop.
///
/// The permitted rate is (1 − pressure)² of the rate at which recent flushes absorbed data, but at least 1 MiB/s.
/// Writers draw bytes from a bucket. A writer that overdraws it sleeps at most 5 ms, so that no single write pays for
/// all. Without pressure the cost is one relaxed load.
final class Pacer: @unchecked Sendable {
    private static let floorRate = Double(1 << 20)
    private static let sliceNanoseconds: UInt64 = 5_000_000

    private let time: any TimeSource
    private let deadlineNanoseconds: UInt64?
    private let sleep: @Sendable (UInt64) -> Void
    private let active = Atomic<Bool>(false)
    private let lock = Lock()

    // Under `lock`.
    private var pressure = 0.0
    private var maxRate = Double(256 << 20)
    private var paidUntil: UInt64 = 0
    private var totals = StallStatistics()

    /// Creates a pacer.
    ///
    /// - Parameter sleep: Sleeps for a number of nanoseconds.
    init(time: any TimeSource, deadline: Duration?, sleep: @escaping @Sendable (UInt64) -> Void = sleepNanoseconds) {
        self.time = time
        self.sleep = sleep
        deadlineNanoseconds = deadline.map { $0.nanoseconds }
    }

    func update(_ inputs: PressureInputs) {
        let value = inputs.pressure
        lock.withLock { pressure = value }
        active.store(value > 0, ordering: .relaxed)
    }

    /// Records that a flush absorbed `bytes` of user data in `nanoseconds`.
    func observeFlush(bytes: Int, nanoseconds: UInt64) {
        guard nanoseconds > 0 else { return }
        let rate = Double(bytes) * 1e9 / Double(nanoseconds)
        lock.withLock { maxRate = max(Pacer.floorRate, maxRate * 0.7 + rate * 0.3) }
    }

    var isActive: Bool { active.load(ordering: .relaxed) }

    /// Sleeps before a write of `bytes` if writers have to slow down. Call it outside of all locks.
    func pace(_ bytes: Int) {
        let now = time.monotonicNanoseconds
        let wait: UInt64 = lock.withLock {
            let rate = max(Pacer.floorRate, maxRate * (1 - pressure) * (1 - pressure))
            paidUntil = max(paidUntil, now) + UInt64(Double(bytes) * 1e9 / rate)
            let debt = paidUntil - now
            // Sleeps under 1 ms cost more in wake-ups than they gain, so debt accumulates first.
            guard debt > 1_000_000 else { return 0 }
            let slice = min(debt, Pacer.sliceNanoseconds)
            totals.delayedWrites += 1
            totals.delayTime += .nanoseconds(slice)
            totals.longestDelay = max(totals.longestDelay, .nanoseconds(slice))
            return slice
        }
        if wait > 0 { sleep(wait) }
    }

    /// Records a write that stopped until background work had finished.
    func recordStop(nanoseconds: UInt64) {
        lock.withLock {
            totals.stoppedWrites += 1
            totals.stopTime += .nanoseconds(nanoseconds)
            totals.longestStop = max(totals.longestStop, .nanoseconds(nanoseconds))
        }
    }

    func isPastDeadline(_ waited: UInt64) -> Bool {
        guard let deadlineNanoseconds else { return false }
        return waited >= deadlineNanoseconds
    }

    var statistics: StallStatistics { lock.withLock { totals } }
    var currentPressure: Double { lock.withLock { pressure } }
    /// The rate at which recent flushes absorbed data, in bytes per second.
    var flushRate: Double { lock.withLock { maxRate } }
}

extension Duration {
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(max(0, seconds)) * 1_000_000_000 + UInt64(max(0, attoseconds)) / 1_000_000_000
    }
}
