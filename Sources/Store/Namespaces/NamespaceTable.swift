import ShaleBase
import ShalePlatform

/// The namespace states of a store that somebody holds: all handles of one namespace share one. Thread-safe.
///
/// It counts handles instead of referring weakly to states: an object that was ever referred to weakly pays for it with
/// every later retain, and there is one in every operation.
final class NamespaceTable: @unchecked Sendable {
    private struct Slot {
        let state: NamespaceState
        var handles: Int
    }

    private let lock = Lock()
    private var slots: [NamespaceName: Slot] = [:]

    /// The state of a name, with one more handle counted. It keeps the core alive, and the core keeps the table: a cycle
    /// that ends with the last handle.
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

    /// One handle less. The caller holds the state: it must not end under the lock.
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

/// A counted hold on a namespace's state: what copies of a ``Namespace`` share.
final class NamespaceHandle: Sendable {
    let state: NamespaceState

    init(core: StoreCore, name: NamespaceName) { state = core.namespaces.take(name, in: core) }

    deinit { state.core.namespaces.release(state) }
}
