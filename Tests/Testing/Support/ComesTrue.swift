import ShalePlatform

/// Whether `condition` holds by now, or does soon. For what other threads do in their time, and what waits until they let go
/// of it: that it comes is what is promised, not how fast it does beside other tests on a busy machine.
package func comesTrue<E: Error>(
    within limit: Duration = .seconds(60), _ condition: () throws(E) -> Bool
) throws(E) -> Bool {
    let deadline = ContinuousClock.now + limit
    var pause: UInt64 = 50_000
    while try !condition() {
        guard ContinuousClock.now < deadline else { return false }
        sleepNanoseconds(pause)
        pause = min(2 * pause, 10_000_000)
    }
    return true
}
