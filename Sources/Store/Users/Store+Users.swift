import ShaleBase

extension Store {
    /// The ids of the users that have namespaces, in bytewise order of their UTF-8. O(namespaces of the store).
    public var userIDs: [String] {
        var ids: [[UInt8]: String] = [:]
        for description in core.engine.namespaces {
            guard case .user(let id)? = NamespaceName(bytes: description.name)?.owner else { continue }
            ids[Array(id.utf8)] = id
        }
        return ids.keys.sorted { $0.lexicographicallyPrecedes($1) }.compactMap { ids[$0] }
    }

    /// Removes all namespaces of a user with everything in them: one durable step, O(namespaces), however much they
    /// hold. A write that runs at the same time falls before it and is removed, or after it and makes its namespace anew.
    public func removeUser(_ id: String) throws(StorageError) {
        let space = NamespaceName(owner: .user(id), components: [])
        try core.drop { core.descriptions(atAndBelow: space) }
    }

    /// Removes everything: all namespaces of all users and the common ones, as one durable step. The master key of an
    /// encrypted store stays, and so does what makes it this installation.
    public func removeAll() throws(StorageError) {
        let kept = [KeyRecord.namespaceName, InstallGeneration.namespaceName]
        try core.drop { core.engine.namespaces.filter { !kept.contains($0.name) } }
    }
}
