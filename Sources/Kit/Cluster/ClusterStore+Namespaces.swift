import ShaleBase

/// Namespaces are made and dropped in steps that any client can finish:
///
/// 1. A record in the state *making* is created. Only one creation succeeds.
/// 2. All shards are made. A shard that exists is left alone.
/// 3. The record becomes *ready*. A client that opens a record in the state *making* repeats 2 and 3.
///
/// The names of shards contain the namespace's id. A creation that is slower than a drop may leave empty shards behind,
/// which belong to no namespace.
///
/// A drop makes the record *dropping*, removes all shards, and then the record. Nobody opens such a namespace; the next
/// drop or creation finishes it.
extension ClusterStore {
    /// The bytes of the longest name of a namespace.
    public static let nameBytesMax = 128

    /// Opens a namespace.
    ///
    /// - Throws: `.missing` if it does not exist; `.namespaceDropped` if a drop of it has begun; `.invalidArgument` for
    ///   a name that is empty, longer than ``nameBytesMax`` bytes of UTF-8, or has a character 0; the errors of
    ///   reading.
    public nonisolated(nonsending) func namespace(_ name: String) async throws(StorageError) -> ClusterNamespace {
        let object = try recordObject(name)
        guard let (record, bytes) = try await core.record(object) else {
            throw StorageError(.missing, "the cluster has no such namespace")
        }
        return try await opened(name, record, bytes)
    }

    /// Makes a namespace, or opens it if it exists with the same layout.
    ///
    /// If the cluster was opened with encryption, a new namespace gets keys, whether its layout asks for encryption or
    /// not.
    ///
    /// - Throws: `.conflict` if it exists with another layout; `.invalidArgument`; `.cipherMismatch` for an encrypted
    ///   layout if the cluster was opened without encryption; the errors of writing and of ``namespace(_:)``.
    /// - Complexity: O(shards), one operation each, 16 at a time.
    public nonisolated(nonsending) func createNamespace(
        _ name: String, layout: ClusterLayout = .init()
    ) async throws(StorageError) -> ClusterNamespace {
        try layout.check()
        let object = try recordObject(name)
        let made = NamespaceRecord(id: core.makeID(), layout: layout, keys: try await core.makeKeys(name, layout))
        while true {
            if let (record, bytes) = try await core.record(object) {
                if record.state == .dropping {
                    try await finishDrop(object, record, bytes)
                    continue
                }
                guard record.layout == made.layout else {
                    throw StorageError(.conflict, "the namespace exists with another layout")
                }
                return try await opened(name, record, bytes)
            }
            do throws(PoolFailure) {
                try await core.write(object, ObjectChange([.create, .setAttribute(made.bytes)]))
            } catch {
                guard error.kind == .exists else { throw error.writeError }
            }
        }
    }

    /// Drops a namespace with everything in it. Does nothing if there is none. Its space is returned at once.
    ///
    /// A drop that was interrupted is finished by the next call. Handles of the namespace throw `.namespaceDropped`,
    /// also after a namespace of the same name was made.
    ///
    /// - Complexity: O(shards), one operation each, 16 at a time.
    public nonisolated(nonsending) func dropNamespace(_ name: String) async throws(StorageError) {
        let object = try recordObject(name)
        while let (record, bytes) = try await core.record(object) {
            var dropping = record
            dropping.state = .dropping
            if record.state == .dropping {
                try await finishDrop(object, record, bytes)
            } else {
                _ = try await core.replace(object, bytes, dropping.bytes)
            }
        }
    }

    // MARK: Steps

    private func recordObject(_ name: String) throws(StorageError) -> ObjectName {
        let bytes = Array(name.utf8)
        guard 1...ClusterStore.nameBytesMax ~= bytes.count, !bytes.contains(0) else {
            throw .invalid("a namespace's name is not 1 to \(ClusterStore.nameBytesMax) bytes without a byte 0")
        }
        return ObjectName(namespace: name, name: "shale")
    }

    private nonisolated(nonsending) func opened(
        _ name: String, _ record: NamespaceRecord, _ bytes: [UInt8]
    ) async throws(StorageError) -> ClusterNamespace {
        guard record.state != .dropping else {
            throw StorageError(.namespaceDropped, "the namespace is being dropped")
        }
        let namespace = ClusterNamespace(name, record, core, try await core.keyring(name, record))
        guard record.state == .making else { return namespace }
        try await concurrently(0..<record.shards) { (index) throws(StorageError) in
            let header = ShardHeader(namespace: record.id, index: index)
            do throws(PoolFailure) {
                try await namespace.core.write(namespace.object(index), ObjectChange([.create] + header.steps))
            } catch {
                guard error.kind == .exists else { throw error.writeError }
            }
        }
        var ready = record
        ready.state = .ready
        // Another client may have finished it, or begun to drop it.
        return try await core.replace(try recordObject(name), bytes, ready.bytes)
            ? namespace : try await self.namespace(name)
    }

    private nonisolated(nonsending) func finishDrop(
        _ object: ObjectName, _ record: NamespaceRecord, _ bytes: [UInt8]
    ) async throws(StorageError) {
        let namespace = ClusterNamespace(object.namespace, record, core, nil)
        try await concurrently(0..<record.shards) { (index) throws(StorageError) in
            try await namespace.dropShard(index)
        }
        for lease in try await namespace.leases() { try await namespace.releaseSnapshot(lease.id) }
        do throws(PoolFailure) {
            try await core.write(object, ObjectChange([.requireObject, .requireAttribute(bytes), .removeObject]))
        } catch {
            guard error.kind == .differs || error.kind == .missing else { throw error.writeError }
        }
    }
}
