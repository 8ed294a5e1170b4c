import ShaleBase

/// The namespaces that a purge covers.
public enum PurgeScope: Sendable, Hashable {
    /// Every namespace of the store.
    case all
    /// The common namespaces.
    case common
    /// All namespaces of a user.
    case user(String)
    /// One namespace, without those below it.
    case namespace(Namespace)
    /// A namespace and all namespaces below it.
    case subtree(Namespace)
}

extension StoreCore {
    /// Returns the namespaces that a scope covers now. O(namespaces of the store).
    func descriptions(in scope: PurgeScope) throws(StorageError) -> [NamespaceDescription] {
        switch scope {
        case .all: return engine.namespaces
        case .common: return descriptions(atAndBelow: NamespaceName(owner: .common, components: []))
        case .user(let id): return descriptions(atAndBelow: NamespaceName(owner: .user(id), components: []))
        case .namespace(let namespace):
            try requireOwn(namespace)
            return try namespace.state.description().map { [$0] } ?? []
        case .subtree(let namespace):
            try requireOwn(namespace)
            _ = try namespace.state.name.checkedBytes()
            return descriptions(atAndBelow: namespace.state.name)
        }
    }
}
