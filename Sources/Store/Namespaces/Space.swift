import ShaleBase

/// A space of namespaces: the common one or a user's. The value keeps its user when the current user changes.
public struct Space: Sendable {
    let core: StoreCore
    let owner: NamespaceName.Owner

    /// The user's id; `nil` for the common space.
    public var userID: String? {
        if case .user(let id) = owner { id } else { nil }
    }

    /// Returns the namespace `name`, whether or not it exists; the first write creates it.
    ///
    /// Keep the result where it is used often. A whole path can have about 4 KiB; if it is longer, every operation
    /// throws `.invalidArgument`.
    public subscript(name: String) -> Namespace {
        Namespace(core: core, name: NamespaceName(owner: owner, components: [name]))
    }

    /// The names of the top namespaces that exist or have existing namespaces below them, in bytewise order of their
    /// UTF-8.
    ///
    /// - Complexity: O(namespaces of the store).
    public var namespaceNames: [String] {
        core.names(inside: NamespaceName(owner: owner, components: []))
    }
}

extension Space: Hashable {
    public static func == (a: Space, b: Space) -> Bool { a.core === b.core && a.prefix == b.prefix }

    public func hash(into hasher: inout Hasher) { hasher.combine(prefix) }

    private var prefix: NamespaceName { NamespaceName(owner: owner, components: []) }
}
