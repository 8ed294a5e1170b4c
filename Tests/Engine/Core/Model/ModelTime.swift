import ShalePlatform

/// A wall clock that stands still until it is moved, beside a monotonic clock that runs: back-pressure is real.
final class ModelTime: TimeSource {
    let manual = ManualTime()

    var wallMilliseconds: Int64 { manual.wallMilliseconds }
    var monotonicNanoseconds: UInt64 { SystemTime().monotonicNanoseconds }
}
