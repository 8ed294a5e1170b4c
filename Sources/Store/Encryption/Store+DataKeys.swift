import ShaleBase
import ShalePlatform

extension Store {
    /// Gives every namespace that holds encrypted values a new data key, encrypts the values again, and then removes
    /// the old keys.
    ///
    /// Call it if data keys may have become known. It is ``Store/Namespace/changeDataKey(progress:)`` for the whole
    /// store. One durable step makes the new keys of all namespaces; then the namespaces are finished one after the
    /// other. Reads and writes continue meanwhile.
    ///
    /// If `progress` throws, or the process is killed at any point, every value can still be read and
    /// ``hasUnfinishedKeyChange`` is true. The next call finishes that change for the remaining namespaces and begins
    /// no other (``KeyChangeReport/isResumed``). A namespace that gets its first key meanwhile is left alone, because
    /// its key is new. The calling thread does the work.
    ///
    /// - Throws: The errors of ``Store/Namespace/changeDataKey(progress:)``. A value that can't be decrypted stops the
    ///   change before its key is removed.
    /// - Complexity: O(entries).
    @discardableResult
    public func changeDataKeys(
        progress: @escaping (KeyChangeProgress) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> KeyChangeReport {
        try CallerError.relay(progress, { $0 }, through: rewriteNamespaces)
    }

    /// Does the same for a `progress` that throws errors of any type. Its error reaches the caller unchanged.
    @discardableResult
    public func changeDataKeys(
        progress: @escaping (KeyChangeProgress) throws -> Void
    ) throws -> KeyChangeReport {
        try CallerError.relay(progress, { $0 }, through: rewriteNamespaces)
    }

    private func rewriteNamespaces(
        _ progress: (KeyChangeProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> KeyChangeReport {
        try core.requireOpen()
        let ring = try core.requireKeyRing()
        guard core.options.engine.mode != .readOnly else {
            throw StorageError(.readOnly, "the store was opened for reading only")
        }
        var unfinished = try core.namespacesChangingKeys(ring)
        let isResumed = !unfinished.isEmpty
        if !isResumed {
            while try !core.beginKeys(ring) {}
            unfinished = try core.namespacesChangingKeys(ring)
        }
        var total = StoreKeyChange(try core.entryCounts(unfinished))
        for holder in unfinished {
            let before = total
            var rewritten = 0
            do throws(StorageError) {
                let namespace = Store.Namespace(core: core, name: holder.name)
                let change = KeyChange(state: namespace.state, id: holder.id, ring: ring)
                rewritten = try change.run(rewritesManifest: false) { (step) throws(StorageError) in
                    try progress(before.adding(step, of: holder.id))
                }.rewritten
            } catch {
                // A namespace dropped meanwhile took its keys with it.
                guard error.code == .namespaceDropped else { throw error }
            }
            total.finish(holder.id, rewritten: rewritten)
        }
        // One rewrite for all namespaces: older edits of the manifest still hold the retired keys.
        if !unfinished.isEmpty { try core.engine.rewriteManifest() }
        return KeyChangeReport(rewritten: total.rewritten, isResumed: isResumed)
    }

    /// Does the same on a separate thread. Cancelling the task stops the change with `.cancelled`.
    @discardableResult
    public nonisolated(nonsending) func changeDataKeys(
        progress: @escaping @Sendable (KeyChangeProgress) -> Void = { _ in }
    ) async throws(StorageError) -> KeyChangeReport {
        try await BlockingWork.run(reportingTo: progress) { (report) throws(StorageError) in
            try self.changeDataKeys(progress: report)
        }
    }

    /// True if a change of the data key of any namespace has begun and not finished. ``changeDataKeys(progress:)``
    /// finishes it.
    ///
    /// - Complexity: O(namespaces).
    public var hasUnfinishedKeyChange: Bool {
        get throws(StorageError) { try core.encryptedNamespaces().contains { $0.options.dataKeys.hasSupersededKeys } }
    }
}

/// The combined progress of a change over several namespaces.
private struct StoreKeyChange {
    private let counts: [NamespaceID: Int]
    private let total: Int
    private var examined = 0
    private(set) var rewritten = 0

    init(_ counts: [NamespaceID: Int]) {
        self.counts = counts
        total = max(1, counts.values.reduce(0, +))
    }

    /// Returns the combined progress if the current namespace is at `step`.
    func adding(_ step: KeyChangeProgress, of id: NamespaceID) -> KeyChangeProgress {
        let done = Double(examined) + step.fraction * Double(counts[id] ?? 0)
        return KeyChangeProgress(
            examined: examined + step.examined, rewritten: rewritten + step.rewritten,
            fraction: min(1, done / Double(total)))
    }

    mutating func finish(_ id: NamespaceID, rewritten: Int) {
        examined += counts[id] ?? 0
        self.rewritten += rewritten
    }
}

/// A namespace that has data keys.
struct EncryptedNamespace: Equatable {
    let id: NamespaceID
    let name: NamespaceName
    let options: CatalogueOptions

    var binding: KeyBinding { options.binding(id, name.bytes) }

    /// True if a change of its keys has begun and not finished.
    func isChanging(_ ring: KeyRing) -> Bool {
        options.dataKeys.isChanging(options.cipher ?? ring.encryption.cipher.id)
    }
}

extension StoreCore {
    /// Returns the namespaces that have data keys, with their options.
    func encryptedNamespaces() throws(StorageError) -> [EncryptedNamespace] {
        var namespaces: [EncryptedNamespace] = []
        for description in engine.namespaces {
            guard let name = NamespaceName(bytes: description.name) else { continue }
            let options = try CatalogueOptions(bytes: description.options)
            guard !options.dataKeys.isEmpty else { continue }
            namespaces.append(EncryptedNamespace(id: description.id, name: name, options: options))
        }
        return namespaces
    }

    /// Returns the namespaces with an unfinished change of keys.
    fileprivate func namespacesChangingKeys(_ ring: KeyRing) throws(StorageError) -> [EncryptedNamespace] {
        try encryptedNamespaces().filter { $0.isChanging(ring) }
    }

    fileprivate func entryCounts(_ namespaces: [EncryptedNamespace]) throws(StorageError) -> [NamespaceID: Int] {
        var counts: [NamespaceID: Int] = [:]
        for holder in namespaces {
            do throws(StorageError) {
                counts[holder.id] = Int(clamping: try engine.statistics(of: holder.id).entries)
            } catch {
                // A namespace dropped meanwhile has nothing left to change.
                guard error.code == .namespaceDropped else { throw error }
            }
        }
        return counts
    }

    /// Makes a new data key for every holder in one edit. Returns false, with nothing changed, if keys were made or
    /// dropped meanwhile.
    fileprivate func beginKeys(_ ring: KeyRing) throws(StorageError) -> Bool {
        let master = try masterKey(ring)
        let before = try encryptedNamespaces()
        guard !before.isEmpty else { return true }
        var edits: [(id: NamespaceID, options: [UInt8])] = []
        var keys: [(id: NamespaceID, keys: NamespaceKeys)] = []
        for holder in before {
            let options = holder.options
            let loaded = NamespaceState.LoadedKeys(
                master: master, options: options, binding: holder.binding,
                keys: try ring.unwrap(options.dataKeys, at: holder.binding, with: master))
            let slots = options.dataKeys.slots(options.cipher ?? ring.encryption.cipher.id)
            let change = try KeyAddition(slots, to: loaded, ring)
            edits.append((holder.id, change.options.bytes))
            keys.append((holder.id, change.keys))
        }
        return try catalogueLock.withLock { () throws(StorageError) in
            guard try encryptedNamespaces() == before, ring.master?.record == master.record else { return false }
            try engine.setOptions(edits)
            for (id, known) in keys { ring.keep(known, of: id) }
            return true
        }
    }
}
