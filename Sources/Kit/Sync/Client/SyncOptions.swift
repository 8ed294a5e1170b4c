/// The pace of a ``SyncClient``.
public struct SyncOptions: Sendable, Hashable {
    /// The time in milliseconds between two cycles of ``SyncClient/run()`` without local changes. Default 60 000.
    public var pullIntervalMilliseconds: Int64 = 60_000
    /// The time in milliseconds from a local change to the cycle that sends it, so that changes which follow each
    /// other closely are sent together. Default 200.
    public var gatherMilliseconds: Int64 = 200
    /// The longest wait in milliseconds after the first failure. It doubles with each further failure. Default 1000.
    public var firstBackOffMilliseconds: Int64 = 1000
    /// The longest wait in milliseconds after any failure. Default 300 000.
    public var lastBackOffMilliseconds: Int64 = 300_000
    /// The largest number of kept versions. The oldest make room. Default 1000.
    public var keptVersions = 1000

    public init() {}

    /// Returns how long to wait after a number of failures in a row: a random part of a limit that doubles, so that
    /// clients which failed together don't return together.
    ///
    /// - Parameters:
    ///   - failures: At least 1.
    ///   - requested: What the server asked for, in seconds. The wait is never shorter.
    package func backOff(after failures: Int, requested: Int?, fraction: Double) -> Int64 {
        let doublings = min(max(0, failures - 1), 40)
        let limit = min(
            Double(max(1, lastBackOffMilliseconds)), Double(max(1, firstBackOffMilliseconds)) * Double(1 << doublings))
        let asked = Int64(min(max(0, requested ?? 0), 86_400)) * 1000
        return asked + Int64(limit * fraction)
    }
}
