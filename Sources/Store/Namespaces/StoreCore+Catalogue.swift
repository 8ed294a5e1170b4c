import ShaleBase
import ShaleEngine

/// Queries and control operations over the catalogue below a name. Each takes O(namespaces of the store).
extension StoreCore {
    /// Returns the descriptions of the namespaces at and below `name`.
    func descriptions(atAndBelow name: NamespaceName) -> [NamespaceDescription] {
        let prefix = name.bytes
        return engine.namespaces.filter { $0.name.starts(with: prefix) }
    }

    /// Returns the names of the children of `name`, a namespace or a space, that exist or have descendants, in bytewise
    /// order of their UTF-8.
    func names(inside name: NamespaceName) -> [String] {
        var children: [[UInt8]: String] = [:]
        for description in descriptions(atAndBelow: name) {
            guard let found = NamespaceName(bytes: description.name), found.components.count > name.components.count
            else { continue }
            let child = found.components[name.components.count]
            children[Array(child.utf8)] = child
        }
        return children.keys.sorted { $0.lexicographicallyPrecedes($1) }.compactMap { children[$0] }
    }

    /// Runs a control operation of the engine over the namespaces that `select` finds, and again if one of them is
    /// dropped meanwhile. It is one durable step, atomic over all of them.
    func control(
        _ select: () throws(StorageError) -> [NamespaceDescription],
        _ operation: ([NamespaceID]) throws(StorageError) -> Void
    ) throws(StorageError) {
        try requireOpen()
        try catalogueLock.withLock { () throws(StorageError) in
            while true {
                do throws(StorageError) {
                    return try operation(try select().map(\.id))
                } catch {
                    guard error.code == .namespaceDropped else { throw error }
                }
            }
        }
    }

    func drop(_ select: () throws(StorageError) -> [NamespaceDescription]) throws(StorageError) {
        var hadKeys = false
        try control { () throws(StorageError) in
            let found = try select()
            hadKeys = found.contains { mayHoldKeys($0) }
            return found
        } _: { (ids) throws(StorageError) in
            try engine.drop(ids)
            namespaces.forgetIDs()
            for id in ids { capacities.forget(id) }
            keyRing?.forget(ids)
        }
        // Older edits in the manifest still hold the data keys.
        if hadKeys { try engine.rewriteManifest() }
    }

    /// True if the namespace may have data keys. A namespace whose options can't be decoded counts as having some.
    private func mayHoldKeys(_ description: NamespaceDescription) -> Bool {
        guard NamespaceName(bytes: description.name) != nil else { return false }
        do throws(StorageError) {
            return try !CatalogueOptions(bytes: description.options).dataKeys.isEmpty
        } catch {
            return true
        }
    }
}

/// Handles namespaces that belong to one version of the application.
extension StoreCore {
    static let appVersionBytesMax = 255

    /// Empties the namespaces that belong to another version than the one the store is opened with. Runs before the
    /// store is handed out.
    ///
    /// 1. One durable step empties them.
    /// 2. Then their new version is recorded.
    ///
    /// A crash in between empties them again at the next opening, before anything could be written to them.
    func emptyOutdatedNamespaces() throws(StorageError) {
        guard let version = options.appVersion, options.engine.mode != .readOnly else { return }
        guard version.utf8.count <= StoreCore.appVersionBytesMax else {
            throw .invalid(
                "the app version is too long bytes=\(version.utf8.count) of \(StoreCore.appVersionBytesMax)")
        }
        var outdated: [(id: NamespaceID, options: CatalogueOptions)] = []
        for description in engine.namespaces where NamespaceName(bytes: description.name) != nil {
            var options = try CatalogueOptions(bytes: description.options)
            guard let recorded = options.version, !recorded.utf8.elementsEqual(version.utf8) else { continue }
            options.version = version
            outdated.append((description.id, options))
        }
        guard !outdated.isEmpty else { return }
        try engine.truncate(outdated.map(\.id))
        for (id, options) in outdated { try engine.setOptions(options.bytes, of: id) }
    }
}
