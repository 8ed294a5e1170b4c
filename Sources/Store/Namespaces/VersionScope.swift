import ShaleBase

/// Namespaces that belong to one version of the application.
extension StoreCore {
    static let appVersionBytesMax = 255

    /// Empties the namespaces that belong to another version than the one that the store is opened with. Before anybody
    /// else has the store.
    ///
    /// They are emptied first, as one durable step, and their new version is recorded afterwards: a crash in between
    /// empties them again, when nobody has written to them.
    func emptyOutdatedNamespaces() throws(StorageError) {
        guard let version = options.appVersion, options.engine.mode != .readOnly else { return }
        guard version.utf8.count <= StoreCore.appVersionBytesMax else { throw .invalid("the app version is too long") }
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
