import ShaleBase

extension Store {
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
        public subscript(name: String) -> Store.Namespace {
            Store.Namespace(core: core, name: NamespaceName(owner: owner, components: [name]))
        }

        /// The names of the top namespaces that exist or have existing namespaces below them, in bytewise order of
        /// their UTF-8.
        ///
        /// - Complexity: O(namespaces of the store).
        public var namespaceNames: [String] {
            core.names(inside: NamespaceName(owner: owner, components: []))
        }
    }
}

extension Store.Space: Hashable {
    public static func == (a: Store.Space, b: Store.Space) -> Bool { a.core === b.core && a.prefix == b.prefix }

    public func hash(into hasher: inout Hasher) { hasher.combine(prefix) }

    private var prefix: NamespaceName { NamespaceName(owner: owner, components: []) }
}

extension Store {
    /// The ids of the users that have namespaces, in bytewise order of their UTF-8.
    ///
    /// - Complexity: O(namespaces of the store).
    public var userIDs: [String] {
        var ids: [[UInt8]: String] = [:]
        for description in core.engine.namespaces {
            guard case .user(let id)? = NamespaceName(bytes: description.name)?.owner else { continue }
            ids[Array(id.utf8)] = id
        }
        return ids.keys.sorted { $0.lexicographicallyPrecedes($1) }.compactMap { ids[$0] }
    }

    /// Removes all namespaces of a user with their contents in one durable step.
    ///
    /// A concurrent write is either ordered before the removal and removed, or ordered after it and creates its
    /// namespace again.
    ///
    /// - Complexity: O(namespaces), however much they hold.
    public func removeUser(_ id: String) throws(StorageError) {
        let space = NamespaceName(owner: .user(id), components: [])
        try core.drop { core.descriptions(atAndBelow: space) }
    }

    /// Removes all namespaces of all users and the common ones in one durable step.
    ///
    /// The master key of an encrypted store and the identity of the installation stay.
    public func removeAll() throws(StorageError) {
        let kept = [KeyRecord.namespaceName, InstallGeneration.namespaceName]
        try core.drop { core.engine.namespaces.filter { !kept.contains($0.name) } }
    }
}
