import ShaleBase
import Synchronization
import Testing

@testable import ShalePlatform

/// When reads are taken to come from the device.
@Suite struct PageResidencyTests {
    /// A clock whose every second reading is `step` nanoseconds after the one before.
    private final class SteppingTime: TimeSource {
        private let readings = Atomic<UInt64>(0)
        let step: Atomic<UInt64>

        init(step: UInt64) { self.step = Atomic(step) }

        var wallMilliseconds: Int64 { 0 }

        var monotonicNanoseconds: UInt64 {
            readings.wrappingAdd(step.load(ordering: .relaxed), ordering: .relaxed).newValue
        }
    }

    private let time = SteppingTime(step: 100)
    private let residency: PageResidency

    init() { residency = PageResidency(time: time) }

    /// Makes reads at different places, and returns how many of them began cold.
    private func read(_ places: Range<Int>) -> Int {
        places.count { place in
            let isCold = residency.begin()
            residency.sample(UInt64(place) * 6991) {}
            return isCold
        }
    }

    @Test func quickReadsStayWarm() {
        #expect(read(0..<100_000) == 0)
        #expect(!residency.isCold)
    }

    @Test func slowReadsSoonAreCold() {
        time.step.store(80_000, ordering: .relaxed)
        #expect(read(0..<10_000) > 9700)
        #expect(residency.isCold)
    }

    /// A read that the scheduler has interrupted says nothing about pages.
    @Test func aSlowReadNowAndThenChangesNothing() {
        for round in 0..<200 {
            time.step.store(80_000, ordering: .relaxed)
            _ = read(round * 1000..<round * 1000 + 16)
            time.step.store(100, ordering: .relaxed)
            #expect(read(round * 1000 + 16..<(round + 1) * 1000) == 0)
        }
    }

    @Test func quickReadsEndIt() {
        time.step.store(80_000, ordering: .relaxed)
        _ = read(0..<10_000)
        time.step.store(100, ordering: .relaxed)
        #expect(read(10_000..<20_000) <= 4200)
        #expect(!residency.isCold)
    }

    /// A sample that failed counts as one: the device may have answered after a long time.
    @Test func whatTheReadThrowsArrives() {
        let error = #expect(throws: StorageError.self) {
            for place in 0..<64 {
                try residency.sample(UInt64(place) * 6991) { () throws(StorageError) -> Void in
                    throw StorageError(.ioFailure, "lost")
                }
            }
        }
        #expect(error?.code == .ioFailure)
    }
}
