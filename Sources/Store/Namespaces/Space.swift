import ShaleBase

/// A space of namespaces: the common one, or a user's. A value: it keeps meaning the space that it was made for.
public struct Space: Sendable {
    let core: StoreCore
    let owner: NamespaceName.Owner

    /// The user's id; `nil` for the common space.
    public var userID: String? {
        if case .user(let id) = owner { id } else { nil }
    }

    /// The namespace `name`, whether or not it exists: it is made by the first write. Any text up to about 4 KiB for a
    /// whole path; a longer one makes every operation throw `.invalidArgument`. Keep the result where it is used often.
    public subscript(name: String) -> Namespace {
        Namespace(core: core, name: NamespaceName(owner: owner, components: [name]))
    }

    /// The names of the top namespaces that exist, or that have namespaces below them that do; in bytewise order of
    /// their UTF-8. O(namespaces of the store).
    public var namespaceNames: [String] {
        core.names(inside: NamespaceName(owner: owner, components: []))
    }
}

extension Space: Hashable {
    public static func == (a: Space, b: Space) -> Bool { a.core === b.core && a.prefix == b.prefix }

    public func hash(into hasher: inout Hasher) { hasher.combine(prefix) }

    private var prefix: NamespaceName { NamespaceName(owner: owner, components: []) }
}
