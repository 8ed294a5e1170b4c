import ShaleBase

/// What has become of one kind of background work: the last failure that has not been followed by success, and when to try
/// again. Work of one kind never waits for the failures of the other.
struct WorkFailures {
    private(set) var last: StorageError?
    /// How many attempts have begun.
    private(set) var attempts = 0
    private var failedAttempt = 0
    private var inRow = 0
    private var retryAt: UInt64 = 0

    /// Pauses grow from one second to this.
    private static let pauseMaxSeconds = 60
    /// Space may return at any moment, and writing goes on within 5 s of it (contract E-3).
    private static let spacePauseMaxSeconds = 2

    func mayTry(at nanoseconds: UInt64) -> Bool { last == nil || nanoseconds >= retryAt }

    /// Until the next attempt, at most a second; 0 when it may be made.
    func pause(at nanoseconds: UInt64) -> UInt64 {
        min(retryAt > nanoseconds ? retryAt - nanoseconds : 0, 1_000_000_000)
    }

    /// The last failure, unless it is that of one of the first `attempts`.
    func failure(after attempts: Int) -> StorageError? { failedAttempt > attempts ? last : nil }

    mutating func begin() { attempts += 1 }

    /// After success, or when the next attempt shall not wait.
    mutating func clear() {
        last = nil
        inRow = 0
        retryAt = 0
    }

    /// True if the last attempt found no space.
    var isOutOfSpace: Bool { last?.code == .noSpace }

    /// The next attempt may be made at once: there may be space again.
    mutating func retryNow() { retryAt = 0 }

    /// An attempt that would fail as the last one did, and was not made: tried again in a second. It counts as one, because a
    /// thread may wait for the outcome of an attempt that begins after the last.
    mutating func failWithoutTrying(at nanoseconds: UInt64) {
        attempts += 1
        failedAttempt = attempts
        retryAt = nanoseconds + 1_000_000_000
    }

    mutating func fail(_ error: StorageError, at nanoseconds: UInt64) {
        last = error
        failedAttempt = attempts
        inRow += 1
        let most = isOutOfSpace ? WorkFailures.spacePauseMaxSeconds : WorkFailures.pauseMaxSeconds
        let seconds = min(most, 1 << min(inRow - 1, 6))
        retryAt = nanoseconds + UInt64(seconds) * 1_000_000_000
    }
}
