import ShaleBase

/// A business namespace: a keyspace of its own, inside a space and perhaps below other namespaces. Keys of two
/// namespaces never meet, whatever they hold.
///
/// A value that costs one reference; copies and namesakes share what they know. It means the place, not the content: a
/// namespace that does not exist reads as empty and is made by the first write; after ``drop()`` the next write makes it
/// anew. All operations may be called from any thread.
public struct Namespace: Sendable {
    private let handle: NamespaceHandle

    init(core: StoreCore, name: NamespaceName) { handle = NamespaceHandle(core: core, name: name) }

    var state: NamespaceState { handle.state }

    /// The names on the way from the space to this namespace, itself the last.
    public var path: [String] { state.name.components }

    /// The last component of ``path``.
    public var name: String { path.last ?? "" }

    /// The space that it is in.
    public var space: Space { Space(core: state.core, owner: state.name.owner) }

    /// The namespace `name` below this one: a keyspace of its own, for which this one need not exist.
    public func child(_ name: String) -> Namespace {
        Namespace(core: state.core, name: state.name.appending(name))
    }

    /// The names of the namespaces right below that exist or have descendants that do; in bytewise order of their
    /// UTF-8. O(namespaces of the store).
    public var childNames: [String] { state.core.names(inside: state.name) }
}

extension Namespace: Hashable {
    /// The same place in the same open store.
    public static func == (a: Namespace, b: Namespace) -> Bool {
        a.state === b.state || (a.state.core === b.state.core && a.state.name == b.state.name)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(state.name) }
}
