import Synchronization

/// What a test runs around the calls of a simulated file system.
///
/// Thread-safe: a test sets a hook while the engine's threads are at work. Its lock is not ``Lock``, so that reading a hook is no
/// step that a scheduler chooses between.
final class SimulationHooks: Sendable {
    /// Unchecked: a hook runs on whichever thread makes the call, and what it captures is the test's to guard.
    struct Hooks: @unchecked Sendable {
        /// Each gets the kind of the call and its path.
        typealias Hook = (OperationKind, String) -> Void

        var willPerform: Hook?
        var isPerforming: Hook?
        var didPerform: Hook?
    }

    private let hooks = Mutex(Hooks())

    var current: Hooks { hooks.withLock { $0 } }

    func set(_ hook: WritableKeyPath<Hooks, Hooks.Hook?>, _ body: Hooks.Hook?) {
        var changed = current
        changed[keyPath: hook] = body
        let unchecked = changed
        hooks.withLock { $0 = unchecked }
    }
}
