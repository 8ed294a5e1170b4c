import ShalePlatform

/// Reports each long call once. Only the timer thread uses it.
struct PinReporter {
    /// The age at which a call is reported. A call takes microseconds, or as long as a read from the disk. A call that
    /// lends entries to its caller takes as long as the caller's code.
    static let limitNanoseconds: UInt64 = 10_000_000_000

    private var isTold = false

    mutating func look(_ core: EngineCore) {
        let age = core.domain.observePins(at: core.clock.monotonicNanoseconds)
        guard age >= PinReporter.limitNanoseconds else {
            isTold = false
            return
        }
        guard !isTold else { return }
        isTold = true
        core.counters.longPins.add(1)
        core.events.send(.pinHeld(nanoseconds: age, retiredBytes: core.domain.retiredBytes))
    }
}
