import ShaleBase

/// A namespace: a keyspace of its own in a space, possibly below other namespaces. Equal keys in two namespaces are
/// different entries.
///
/// A `Namespace` denotes a path, not its content. If the namespace does not exist, it reads as empty and the first
/// write creates it. After ``drop()`` the next write creates it again. Copying costs one reference count, and all
/// values for the same path share cached state. All operations may be called from any thread.
public struct Namespace: Sendable {
    private let handle: NamespaceHandle

    init(core: StoreCore, name: NamespaceName) { handle = NamespaceHandle(core: core, name: name) }

    var state: NamespaceState { handle.state }

    /// The names from the top of the space down to this namespace, its own name last.
    public var path: [String] { state.name.components }

    /// The last component of ``path``.
    public var name: String { path.last ?? "" }

    /// The space that contains the namespace.
    public var space: Space { Space(core: state.core, owner: state.name.owner) }

    /// Returns the namespace `name` below this one. It is a keyspace of its own; this namespace need not exist for it.
    public func child(_ name: String) -> Namespace {
        Namespace(core: state.core, name: state.name.appending(name))
    }

    /// The names of the namespaces directly below that exist or have existing descendants, in bytewise order of their
    /// UTF-8.
    ///
    /// - Complexity: O(namespaces of the store).
    public var childNames: [String] { state.core.names(inside: state.name) }
}

extension Namespace: Hashable {
    /// Returns true for the same path in the same open store.
    public static func == (a: Namespace, b: Namespace) -> Bool {
        a.state === b.state || (a.state.core === b.state.core && a.state.name == b.state.name)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(state.name) }
}
