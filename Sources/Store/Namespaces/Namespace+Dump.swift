package import ShaleBase
package import ShaleEngine

/// Namespaces to dump, all at one moment: their root and the root's descendants, or only the root.
package struct DumpScope: Sendable {
    private let core: StoreCore
    /// The name of the root; a space has no components.
    package let root: NamespaceName
    private let includesSubtree: Bool

    package init(_ namespace: Store.Namespace, includesSubtree: Bool) {
        core = namespace.state.core
        root = namespace.state.name
        self.includesSubtree = includesSubtree
    }

    package init(_ space: Store.Space) {
        core = space.core
        root = NamespaceName(owner: space.owner, components: [])
        includesSubtree = true
    }

    package var engine: Engine { core.engine }

    /// The namespaces that exist, in ascending order of their ids.
    package func namespaces() throws(StorageError) -> [NamespaceDescription] {
        try core.requireOpen()
        if !root.components.isEmpty { _ = try root.checkedBytes() }
        let found = core.descriptions(atAndBelow: root).filter { includesSubtree || $0.name == root.bytes }
        return found.sorted { $0.id < $1.id }
    }

    /// Returns the envelope of an encrypted value, decrypted; `nil` if the value is not encrypted. Throws
    /// `.cipherMismatch` for an encrypted value unless `isAllowed`.
    package func decrypted(
        _ value: RawSpan, _ key: RawSpan, _ info: EntryInfo, in namespace: NamespaceDescription, isAllowed: Bool
    ) throws(StorageError) -> [UInt8]? {
        let isPlain = unsafe value.withUnsafeBytes { Envelope.isPlain(unsafe Bytes($0)) }
        guard !isPlain, let name = NamespaceName(bytes: namespace.name) else { return nil }
        guard isAllowed else {
            // Damaged bytes throw their own error.
            _ = try unsafe value.withUnsafeBytes { (buffer) throws(StorageError) in
                try SealedEnvelope(unsafe Bytes(buffer)).dataKey
            }
            throw StorageError(.cipherMismatch, "a value is encrypted, and opens only in its own namespace")
        }
        return try Store.Namespace(core: core, name: name).state.opened(value, key, namespace.id, info)
    }
}

extension CatalogueOptions {
    /// The options that a user sets, in the form of the catalogue: without data keys.
    package var withoutKeys: CatalogueOptions {
        var options = self
        options.dataKeys = []
        return options
    }
}

/// An entry of a dump: an envelope that is not encrypted, and the options of its entry.
package struct DumpedEntry {
    let key: [UInt8]
    let envelope: [UInt8]
    let options: PutOptions

    package init(key: [UInt8], envelope: [UInt8], options: PutOptions) {
        self.key = key
        self.envelope = envelope
        self.options = options
    }

    /// The bytes of key and value.
    package var byteCount: Int { key.count + envelope.count }
}

extension Store.Namespace {
    /// The namespace at `path` below this one; this one if `path` is empty.
    package func descendant(_ path: some Sequence<String>) -> Store.Namespace {
        path.reduce(self) { $0.child($1) }
    }

    /// Sets the options of a namespace that does not exist, from the catalogue's bytes of another namespace.
    package func adopt(options: [UInt8]) throws(StorageError) {
        guard !options.isEmpty, try !exists else { return }
        try setOptions(try CatalogueOptions(bytes: options).options)
    }

    /// Writes entries as they are, encrypted if the namespace's options say so. Returns the number of entries written,
    /// which leaves out keys that exist if `keepsExisting`.
    ///
    /// The entries are committed together; in a namespace with a capacity, each by itself.
    package func load(_ entries: [DumpedEntry], keepsExisting: Bool) throws(StorageError) -> Int {
        guard try exists else {
            return try load(entries)
        }
        let rest = keepsExisting ? try entries.filtered { (entry) throws(StorageError) in try !has(entry) } : entries
        return try load(rest)
    }

    private func has(_ entry: DumpedEntry) throws(StorageError) -> Bool { try contains(EntryKey(entry.key)) }

    private func load(_ entries: [DumpedEntry]) throws(StorageError) -> Int {
        guard !entries.isEmpty else { return 0 }
        var batch = Store.Batch(state.core)
        for entry in entries {
            try batch.put(entry, in: self)
            guard state.isCapped else { continue }
            try batch.commit(nil)
            batch = Store.Batch(state.core)
        }
        try batch.commit(nil)
        return entries.count
    }
}

extension Array {
    fileprivate func filtered<Failure: Error>(
        _ isIncluded: (Element) throws(Failure) -> Bool
    ) throws(Failure) -> [Element] {
        var result: [Element] = []
        for element in self where try isIncluded(element) { result.append(element) }
        return result
    }
}
