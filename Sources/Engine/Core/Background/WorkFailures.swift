import ShaleBase

/// The failures of one kind of background work: the last one since a success, and when to retry. Work of one kind never
/// waits for failures of the other.
struct WorkFailures {
    private(set) var last: StorageError?
    /// The number of attempts that have begun.
    private(set) var attempts = 0
    private var failedAttempt = 0
    private var inRow = 0
    private var retryAt: UInt64 = 0

    /// The longest pause. Pauses double, starting at 1 s.
    private static let pauseMaxSeconds = 60
    /// The longest pause after a lack of space. Space may return at any moment, and writing resumes within 5 s
    /// (contract E-3).
    private static let spacePauseMaxSeconds = 2

    func mayTry(at nanoseconds: UInt64) -> Bool { last == nil || nanoseconds >= retryAt }

    /// Returns the time until the next attempt, at most 1 s; 0 if it may be made now.
    func pause(at nanoseconds: UInt64) -> UInt64 {
        min(retryAt > nanoseconds ? retryAt - nanoseconds : 0, 1_000_000_000)
    }

    /// Returns the last failure, unless it belongs to one of the first `attempts`.
    func failure(after attempts: Int) -> StorageError? { failedAttempt > attempts ? last : nil }

    mutating func begin() { attempts += 1 }

    /// Forgets the failures: after a success, or to retry at once.
    mutating func clear() {
        last = nil
        inRow = 0
        retryAt = 0
    }

    /// True if the last failed attempt found no space.
    var isOutOfSpace: Bool { last?.code == .noSpace }

    /// Permits the next attempt at once, because space may have returned.
    mutating func retryNow() { retryAt = 0 }

    /// Records an attempt that was not made because it would fail like the last one. The next one may follow in 1 s.
    ///
    /// It counts as an attempt, because a thread may wait for the outcome of an attempt that begins later.
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
