import ShaleBase
import ShalePlatform

/// The namespace states of a store that have handles. All handles of one namespace share one state. Thread-safe.
///
/// The table counts handles instead of holding weak references: once an object has been referenced weakly, every later
/// retain costs more, and each operation retains the state.
final class NamespaceTable: @unchecked Sendable {
    private struct Slot {
        let state: NamespaceState
        var handles: Int
    }

    private let lock = Lock()
    private var slots: [NamespaceName: Slot] = [:]

    /// Returns the state of a name, with one more handle counted. The state retains the core and the core retains the
    /// table; the release of the last handle breaks this cycle.
    func take(_ name: NamespaceName, in core: StoreCore) -> NamespaceState {
        lock.withLock {
            if let known = slots[name]?.state {
                slots[name]?.handles += 1
                return known
            }
            let fresh = NamespaceState(core: core, name: name)
            slots[name] = Slot(state: fresh, handles: 1)
            return fresh
        }
    }

    /// Removes one handle. The caller holds the state, so that it is not released under the lock.
    func release(_ state: NamespaceState) {
        lock.withLock {
            guard let slot = slots[state.name] else { return }
            if slot.handles == 1 {
                slots[state.name] = nil
            } else {
                slots[state.name]?.handles -= 1
            }
        }
    }

    /// Makes every state look its namespace up again. O(namespaces in use).
    func forgetIDs() {
        let states = lock.withLock { slots.values.map(\.state) }
        for state in states { state.forgetAnyID() }
    }
}

/// A counted handle of a namespace's state. Copies of a ``Store/Namespace`` share it.
final class NamespaceHandle: Sendable {
    let state: NamespaceState

    init(core: StoreCore, name: NamespaceName) { state = core.namespaces.take(name, in: core) }

    deinit { state.core.namespaces.release(state) }
}
