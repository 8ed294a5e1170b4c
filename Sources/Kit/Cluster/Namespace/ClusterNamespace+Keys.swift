import ShaleBase

/// The data keys of encrypted values. The namespace's record holds them, and the header of each shard the id of the
/// oldest one that writes of the shard may use. So every client meets a change of keys, whenever it was opened:
///
/// - A write compares the header, and its key is not older than the header's.
/// - A read that meets a key which this client does not know reads the record again.
extension ClusterNamespace {
    /// The keys that this client has seen; `nil` if the namespace has none, or the cluster was opened without
    /// encryption.
    var keyring: NamespaceKeyring? { keys.withLock { $0 } }

    /// Returns the keys for writes under a header, which are read again if they are older; `nil` if there are none.
    nonisolated(nonsending) func keyring(
        under header: ShardHeader
    ) async throws(StorageError) -> NamespaceKeyring? {
        guard let known = keyring, known.newest < header.dataKey else { return keyring }
        let current = try await currentKeyring()
        guard current.newest >= header.dataKey else {
            throw .corruption("a shard names a data key that its namespace does not have key=\(header.dataKey)")
        }
        return current
    }

    /// Returns the keys for opening an encrypted envelope. Throws `.cipherMismatch` without encryption.
    nonisolated(nonsending) func keyring(
        opening envelope: [UInt8]
    ) async throws(StorageError) -> NamespaceKeyring {
        guard let known = keyring else {
            throw StorageError(.cipherMismatch, "a value is encrypted, and the cluster was opened without encryption")
        }
        return try known.opens(envelope) ? known : try await currentKeyring()
    }

    /// Reads the keys again. Earlier ones stay, because reads in progress may have values under them.
    nonisolated(nonsending) func currentKeyring() async throws(StorageError) -> NamespaceKeyring {
        guard let read = try await core.keyring(name, try await currentRecord().record) else {
            throw StorageError(
                .cipherMismatch, "the namespace has no keys, or the cluster was opened without encryption")
        }
        return keys.withLock { known in
            let isOlder = known.map { $0.newest > read.newest } ?? false
            let merged = isOlder ? known?.keeping(read) ?? read : read.keeping(known)
            known = merged
            return merged
        }
    }

    /// Reads the record of the namespace. Throws `.namespaceDropped` if it is that of another one.
    nonisolated(nonsending) func currentRecord() async throws(StorageError) -> (record: NamespaceRecord, bytes: [UInt8])
    {
        guard let found = try await core.record(recordObject), found.record.id == record.id,
            found.record.state != .dropping
        else { throw StorageError(.namespaceDropped, "the namespace was dropped") }
        return found
    }
}
