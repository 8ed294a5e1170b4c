import ShaleBase
import ShalePlatform
import Testing

@testable import ShaleEngine

/// Writers slow down gradually, in small sleeps, before they have to stop.
@Suite struct PacerTests {
    /// A pacer whose sleeps advance the clock.
    private struct Bench {
        let time = ManualTime()
        let slept = Locked<[UInt64]>([])
        let pacer: Pacer

        init() {
            pacer = Pacer(time: time, deadline: .milliseconds(10)) { [time, slept] nanoseconds in
                slept.withLock { $0.append(nanoseconds) }
                time.advance(nanoseconds: nanoseconds)
            }
        }

        /// Sets the pressure through L0 alone: 0 to 1 in steps of a tenth.
        func press(tenths: Int) {
            pacer.update(
                PressureInputs(
                    l0Count: 10 + tenths, l0Slow: 10, l0Stop: 20, immutables: 0, immutablesMax: 2, fillShare: 1))
        }

        /// Reports flushes that absorb this many bytes per second, until the average has converged.
        func flush(bytesPerSecond: Int) {
            for _ in 0..<100 { pacer.observeFlush(bytes: bytesPerSecond, nanoseconds: 1_000_000_000) }
        }

        /// Returns the bytes per second of a writer that never pauses.
        func rate() -> Double {
            let began = time.monotonicNanoseconds
            for _ in 0..<1000 { pacer.pace(64 << 10) }
            // The remaining debt belongs to the bytes written.
            var sleeps = -1
            while sleeps < slept.withLock({ $0.count }) {
                sleeps = slept.withLock { $0.count }
                pacer.pace(0)
            }
            return Double(1000 * (64 << 10)) * 1e9 / Double(time.monotonicNanoseconds - began)
        }
    }

    @Test func withoutPressureNobodySleeps() {
        let bench = Bench()
        bench.press(tenths: 0)
        #expect(!bench.pacer.isActive)
        bench.press(tenths: 1)
        #expect(bench.pacer.isActive)
        bench.press(tenths: 0)
        #expect(!bench.pacer.isActive)
        #expect(bench.pacer.currentPressure == 0)
    }

    /// The permitted rate is (1 − p)² of the rate that flushes absorb.
    @Test(arguments: [1, 3, 5, 7, 9]) func theRateFallsWithTheSquareOfWhatIsLeft(_ tenths: Int) {
        let bench = Bench()
        bench.flush(bytesPerSecond: 200 << 20)
        bench.press(tenths: tenths)
        let left = 1 - Double(tenths) / 10
        let expected = max(Double(1 << 20), Double(200 << 20) * left * left)
        let rate = bench.rate()
        #expect(abs(rate / expected - 1) < 0.02, "\(rate) bytes per second, not \(expected)")
    }

    /// Applies at full pressure, and after extremely slow flushes.
    @Test func aWriterNeverGetsLessThanTheFloor() {
        let bench = Bench()
        bench.flush(bytesPerSecond: 1)
        bench.press(tenths: 10)
        #expect(abs(bench.rate() / Double(1 << 20) - 1) < 0.02)
    }

    /// A write of 1 MiB at 1 MiB/s owes 1 s. It sleeps 5 ms and leaves the rest to later writes.
    @Test func noWriteSleepsLongerThanASlice() {
        let bench = Bench()
        bench.press(tenths: 10)
        bench.pacer.pace(1 << 20)
        #expect(bench.slept.withLock { $0 } == [5_000_000])
        for _ in 0..<10 { bench.pacer.pace(0) }
        #expect(bench.slept.withLock { $0 } == Array(repeating: 5_000_000, count: 11))
        let statistics = bench.pacer.statistics
        #expect(statistics.delayedWrites == 11)
        #expect(statistics.delayTime == .milliseconds(55))
        #expect(statistics.longestDelay == .milliseconds(5))
    }

    /// Small writes first accumulate a debt of 1 ms.
    @Test func debtOfLessThanAMillisecondIsNotSleptOff() {
        let bench = Bench()
        bench.press(tenths: 10)
        // 1000 bytes at 1 MiB/s are 0.95 ms.
        bench.pacer.pace(1000)
        #expect(bench.slept.withLock { $0 }.isEmpty)
        bench.pacer.pace(1000)
        #expect(bench.slept.withLock { $0.count } == 1)
        // A pause pays debt too, but earns no credit.
        bench.time.advance(milliseconds: 10_000)
        bench.pacer.pace(1000)
        #expect(bench.slept.withLock { $0.count } == 1)
    }

    /// Pressure is the larger of L0's and the memtables', which counts once all immutable ones wait.
    @Test func theWorseOfBothCounts() {
        func pressure(_ l0Count: Int, _ immutables: Int, _ fillShare: Double) -> Double {
            PressureInputs(
                l0Count: l0Count, l0Slow: 12, l0Stop: 24, immutables: immutables, immutablesMax: 2,
                fillShare: fillShare
            ).pressure
        }
        #expect(pressure(12, 0, 1) == 0)
        #expect(pressure(18, 0, 1) == 0.5)
        #expect(pressure(30, 0, 1) == 1)
        #expect(pressure(0, 1, 0.9) == 0)
        #expect(pressure(0, 2, 0.75) == 0.75)
        #expect(pressure(18, 2, 0.75) == 0.75)
        #expect(pressure(24, 2, 2) == 1)
    }

    @Test func theDeadlineIsReachedNotBefore() {
        let pacer = Bench().pacer
        #expect(!pacer.isPastDeadline(9_999_999))
        #expect(pacer.isPastDeadline(10_000_000))
        #expect(!Pacer(time: ManualTime(), deadline: nil).isPastDeadline(.max))
    }

    @Test func stopsAreCounted() {
        let pacer = Bench().pacer
        pacer.recordStop(nanoseconds: 5)
        pacer.recordStop(nanoseconds: 7)
        #expect(pacer.statistics.stoppedWrites == 2)
        #expect(pacer.statistics.stopTime == .nanoseconds(12))
        #expect(pacer.statistics.longestStop == .nanoseconds(7))
    }
}
