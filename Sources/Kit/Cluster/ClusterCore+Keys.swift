import ShaleBase
import ShalePlatform

/// The keys of namespaces with encrypted values. Providers may block, for instance to derive a key from a passphrase,
/// so they run on threads of the library.
extension ClusterCore {
    /// Returns the stored form of keys for a new namespace; empty without encryption.
    nonisolated(nonsending) func makeKeys(_ name: String, _ layout: ClusterLayout) async throws(StorageError) -> [UInt8]
    {
        guard let encryption = options.encryption else {
            guard !layout.isEncrypted else {
                throw StorageError(
                    .cipherMismatch, "the namespace is encrypted, and the cluster was opened without keys")
            }
            return []
        }
        let binding = ClusterCore.binding(name, NamespaceRecord(id: [], layout: layout))
        return try await BlockingWork.run { (_) throws(StorageError) in
            try StoredNamespaceKeys.make(encryption, for: binding).bytes
        }
    }

    /// Returns the keys of a namespace; `nil` if it has none, or without encryption.
    nonisolated(nonsending) func keyring(
        _ name: String, _ record: NamespaceRecord
    ) async throws(StorageError) -> NamespaceKeyring? {
        guard let encryption = options.encryption, !record.keys.isEmpty else { return nil }
        let binding = ClusterCore.binding(name, record)
        return try await BlockingWork.run { (_) throws(StorageError) in
            try NamespaceKeyring(stored: try StoredNamespaceKeys(record.keys), encryption, for: binding)
        }
    }

    /// Returns a record with other keys. `change` gets those of the record, and runs on a thread of the library.
    nonisolated(nonsending) func changingKeys(
        of record: NamespaceRecord, named name: String,
        _ change:
            @escaping @Sendable (
                StoredNamespaceKeys, NamespaceKeyring.Binding
            ) throws(StorageError) -> StoredNamespaceKeys
    ) async throws(StorageError) -> NamespaceRecord {
        let binding = ClusterCore.binding(name, record)
        var changed = record
        changed.keys = try await BlockingWork.run { (_) throws(StorageError) in
            try change(try StoredNamespaceKeys(record.keys), binding).bytes
        }
        return changed
    }

    private static func binding(_ name: String, _ record: NamespaceRecord) -> NamespaceKeyring.Binding {
        NamespaceKeyring.Binding(
            name: Array(name.utf8), isPurgeable: record.isPurgeable, isEncrypted: record.isEncrypted,
            lifetimeMilliseconds: record.lifetimeMilliseconds)
    }
}
