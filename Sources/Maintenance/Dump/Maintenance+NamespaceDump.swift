public import Shale
public import ShaleBase
import ShaleEngine

/// The options of a dump of namespaces.
public struct NamespaceDumpOptions: Sendable {
    /// True if the namespaces below a namespace are dumped, too. Default false. A space is always dumped as a whole.
    public var includesSubtree = false

    /// True if encrypted values are written decrypted. Then the dump holds secrets in readable form.
    ///
    /// An encrypted value opens only in its own namespace, so it could not be loaded elsewhere as it is stored. Default
    /// false: a dump that meets an encrypted value throws `.cipherMismatch`.
    public var decryptsValues = false

    public init(includesSubtree: Bool = false, decryptsValues: Bool = false) {
        self.includesSubtree = includesSubtree
        self.decryptsValues = decryptsValues
    }
}

extension Maintenance {
    /// Writes a namespace of an open store as lines of JSON: ShaleMaintenance.docc, "Dumps".
    ///
    /// `load(into:options:read:)` puts the entries into any namespace, also of another store: keys, values with codecs
    /// and times of writing, purgeability and expiry, and the options of namespaces that it makes. The dump shows one
    /// moment; writers continue. A namespace that does not exist gives a dump without entries.
    ///
    /// ```swift
    /// var lines: [UInt8] = []
    /// try Maintenance.dump(orders) { piece in
    ///     unsafe piece.withUnsafeBytes { unsafe lines.append(contentsOf: $0) }
    /// }
    /// ```
    ///
    /// The store may be open for reading only. `progress` receives the bytes of keys and values read so far, about
    /// every MiB, and may throw to cancel. `write` receives about 1 MiB at a time, valid during the call.
    ///
    /// - Returns: The number of entries.
    /// - Throws: `.cipherMismatch` for an encrypted value, unless the options decrypt it; then also `.wrongKey`,
    ///   `.missingKey` and `.authenticationFailed`. `.namespaceDropped` if a namespace is dropped meanwhile.
    ///   `.invalidArgument` for a value above 32 MiB, which was written in pieces; `.corruption`; `.closed`; the errors
    ///   of `progress` and `write`.
    @discardableResult
    public static func dump(
        _ namespace: Store.Namespace, options: NamespaceDumpOptions = NamespaceDumpOptions(),
        progress: @escaping MaintenanceProgress.Handler = { _ in }, to write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> UInt64 {
        try dump(DumpScope(namespace, includesSubtree: options.includesSubtree), options, progress, write)
    }

    /// Writes all namespaces of a user or of the common space as lines of JSON, like the dump of a namespace.
    @discardableResult
    public static func dump(
        _ space: Store.Space, options: NamespaceDumpOptions = NamespaceDumpOptions(),
        progress: @escaping MaintenanceProgress.Handler = { _ in }, to write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> UInt64 {
        try dump(DumpScope(space), options, progress, write)
    }

    private static func dump(
        _ scope: DumpScope, _ options: NamespaceDumpOptions, _ progress: @escaping MaintenanceProgress.Handler,
        _ write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> UInt64 {
        // A namespace that is made after the snapshot has no entries in it.
        let moment = scope.engine.snapshot()
        let namespaces = try scope.namespaces()
        var total: UInt64 = 0
        for namespace in namespaces { total += try scope.engine.statistics(of: namespace.id).rawBytes }
        let progress = ByteProgress(total, progress)
        var writer = DumpWriter()
        writer.begin(nextNamespace: scope.engine.nextNamespaceID, root: scope.root)
        for namespace in namespaces {
            let known = try CatalogueOptions(bytes: namespace.options)
            writer.begin(namespace, options: known.withoutKeys.bytes)
            var cursor = try scope.engine.cursor(in: namespace.id, at: moment)
            while try cursor.next() {
                try add(cursor, of: namespace, scope, options, &writer)
                try progress.add(UInt64(cursor.key.byteCount + cursor.value.byteCount))
                if writer.text.count >= 1 << 20 { try flush(&writer, write) }
            }
        }
        writer.end()
        try flush(&writer, write)
        return writer.entryCount
    }

    private static func add(
        _ cursor: borrowing Engine.Cursor, of namespace: NamespaceDescription, _ scope: DumpScope,
        _ options: NamespaceDumpOptions, _ writer: inout DumpWriter
    ) throws(StorageError) {
        let info = cursor.info
        let key = cursor.key
        let value = cursor.value
        try DumpWriter.check(value)
        let plain = try scope.decrypted(value, key, info, in: namespace, isAllowed: options.decryptsValues)
        unsafe key.withUnsafeBytes { key in
            func add(_ value: Bytes) {
                writer.add(
                    unsafe Bytes(key), value, isPurgeable: info.isPurgeable, expiry: info.expiresAtMilliseconds)
            }
            if let plain {
                unsafe plain.withUnsafeBytes { add(unsafe Bytes($0)) }
            } else {
                unsafe value.withUnsafeBytes { add(unsafe Bytes($0)) }
            }
        }
    }
}
