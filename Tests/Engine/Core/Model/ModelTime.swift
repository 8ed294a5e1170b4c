import ShalePlatform

/// A wall clock that moves only when told to, and a running monotonic clock, so that back-pressure is real.
final class ModelTime: TimeSource {
    let manual = ManualTime()

    var wallMilliseconds: Int64 { manual.wallMilliseconds }
    var monotonicNanoseconds: UInt64 { SystemTime().monotonicNanoseconds }
}
