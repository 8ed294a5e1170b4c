import ShaleBase

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
