import ShalePlatform

/// Waits until `condition` holds. Returns false if it does not within `limit`.
///
/// For the work of other threads, and for work that waits until they release something. The tests check that it
/// happens, not how fast on a busy machine.
package func eventually<E: Error>(
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
