/// A clock whose sleep calls a function instead of waiting.
struct HookedClock: Clock {
    typealias Instant = ContinuousClock.Instant

    let willSleep: @Sendable (Duration) throws -> Void

    var now: Instant { ContinuousClock().now }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try willSleep(now.duration(to: deadline))
        try Task.checkCancellation()
        await Task.yield()
    }
}
