import ShaleEngine
import ShaleKit
import ShalePlatform
import ShaleSimulation
import Testing

/// A store in memory with a clock that a test moves.
final class PropertyFixture: Sendable {
    let time = ManualTime()
    let store: Store
    let settings: Store.Namespace

    init() throws {
        var options = Store.Options()
        options.engine.time = time
        options.engine.syncInterval = nil
        options.purgeInterval = nil
        store = try Store.inMemory(options: options)
        settings = store.common["settings"]
    }

    deinit { do { try store.close() } catch { Issue.record("\(error)") } }
}

extension Keys {
    static let theme = Key<String>("theme", default: "light")
    static let count = Key<Int>("count", default: 0)
    static let draft = Key<String?>("draft")
    static let session = Key<String?>("session", options: .expires(after: .seconds(10)))
    /// JSON has no form for infinite numbers, so a write of one fails.
    static let ratios = Key<[Double]>("ratios", default: [1])
    static let cache = Key<[Int]>("cache", default: [], options: .purgeable)
}

/// Waits until `condition` holds, and lets the other work of the actor run meanwhile. Returns false if it does not hold
/// within a minute.
///
/// Each round waits for a task of the pool. The minute counts only if there were many rounds: the tests of other suites
/// may block all threads of the pool for longer.
func until(
    isolation: isolated (any Actor)? = #isolation, _ condition: () throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + .seconds(60)
    var rounds = 0
    while try !condition() {
        guard rounds < 10_000 || ContinuousClock.now < deadline else { return false }
        await Task.detached {}.value
        rounds += 1
    }
    return true
}
