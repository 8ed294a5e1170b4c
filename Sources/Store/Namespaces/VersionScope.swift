import ShaleBase

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
