import Synchronization

/// The hooks of a test around the calls of a simulated file system.
///
/// Thread-safe: a test may set a hook while the engine's threads run. The lock is not a ``Lock``, so that reading a
/// hook is not a scheduling point.
final class SimulationHooks: Sendable {
    /// Unchecked: a hook runs on the calling thread, and the test guards what it captures.
    struct Hooks: @unchecked Sendable {
        /// A hook gets the kind of the call and its path.
        typealias Hook = (OperationKind, String) -> Void

        var willPerform: Hook?
        var isPerforming: Hook?
        var didPerform: Hook?
    }

    private let hooks = Mutex(Hooks())

    var current: Hooks { hooks.withLock { $0 } }

    func set(_ hook: WritableKeyPath<Hooks, Hooks.Hook?>, _ body: Hooks.Hook?) {
        hooks.withLock { $0[keyPath: hook] = body }
    }
}
