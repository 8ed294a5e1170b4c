public import ShaleBase
import ShalePlatform

/// A change of the data key, in steps that any client can finish:
///
/// 1. The record gets a new data key beside the old one. From then on clients that open the namespace write under it.
/// 2. The header of each shard names the new key. From then on no write of the shard uses an older one.
/// 3. Each value under an older key is written again, in an operation that compares the bytes of its entry.
/// 4. The record loses the old keys. No entry that a reader sees needs them: there was none after 3, and none was added
///    since 2.
extension ClusterNamespace {
    /// Makes a new data key for the namespace, encrypts every encrypted value again under it, and then removes the old
    /// keys.
    ///
    /// All clients may read and write meanwhile; those that are open learn of the new key by themselves. If the call
    /// fails, or its process dies, every value can be read, and the next call, of any client, finishes that change
    /// (`KeyChangeReport.isResumed`). Calls of several clients at once finish the same change.
    ///
    /// Values keep codec, purgeability and expiry. The objects of large values under the old key stay until a removal
    /// pass (``reclaim(dryRun:progress:)``). A namespace without keys is left unchanged.
    ///
    /// - Parameter progress: Called after each page. Its fraction is that of the shards.
    /// - Throws: `.cipherMismatch` if the cluster was opened without encryption; the errors of reading and writing. A
    ///   value that can't be decrypted stops the change before its key is removed.
    /// - Complexity: O(entries). Reads pages of at most 256 entries of one shard after the other.
    @discardableResult
    public nonisolated(nonsending) func changeDataKey(
        progress: @Sendable (KeyChangeProgress) -> Void = { (_) in }
    ) async throws(StorageError) -> KeyChangeReport {
        let encryption = try requireEncryption()
        guard keyring != nil else { return KeyChangeReport(rewritten: 0, isResumed: false) }
        let (key, isResumed) = try await beginKeyChange(encryption)
        _ = try await currentKeyring()
        try await concurrently(0..<record.shards) { (shard) throws(StorageError) in
            guard try await self.currentHeader(shard).dataKey < key else { return }
            try await self.changeHeader(shard) { $0.requiring(dataKey: key) }
        }
        var (examined, rewritten) = (0, 0)
        for shard in 0..<record.shards {
            var rewriting = ShardRewriting(self, shard, olderThan: key)
            while try await rewriting.next() {
                progress(
                    KeyChangeProgress(
                        examined: examined + rewriting.examined, rewritten: rewritten + rewriting.rewritten,
                        fraction: Double(shard) / Double(record.shards)))
            }
            examined += rewriting.examined
            rewritten += rewriting.rewritten
        }
        try await changeRecord { (keys, _) in keys.removing(below: key) }
        progress(KeyChangeProgress(examined: examined, rewritten: rewritten, fraction: 1))
        return KeyChangeReport(rewritten: rewritten, isResumed: isResumed)
    }

    /// True if a change of the data key has begun and not finished. ``changeDataKey(progress:)`` finishes it.
    public var hasUnfinishedKeyChange: Bool {
        get async throws(StorageError) {
            let keys = try await currentRecord().record.keys
            return try keys.isEmpty ? false : StoredNamespaceKeys(keys).ids.count > 1
        }
    }

    /// Gives the namespace another master key in one operation: until it only the old key opens the namespace,
    /// afterwards only the new one.
    ///
    /// Values stay as they are. A party that had both the old key and access to the cluster may know the data keys:
    /// ``changeDataKey(progress:)`` then replaces them. Clients that are open keep their old key, which can't read the
    /// record any more: open them again, with the new key, before the data key changes.
    ///
    /// - Throws: `.cipherMismatch` if the namespace has no keys, or the cluster was opened without encryption;
    ///   `.wrongKey`, `.authenticationFailed`, the errors of `keys`, and those of writing.
    public nonisolated(nonsending) func changeMasterKey(to keys: any KeyProvider) async throws(StorageError) {
        let encryption = try requireEncryption()
        guard keyring != nil else { throw StorageError(.cipherMismatch, "the namespace has no keys") }
        try await changeRecord { (stored, binding) throws(StorageError) in
            try stored.resealed(encryption, to: keys, for: binding)
        }
    }

    private func requireEncryption() throws(StorageError) -> StoreEncryption {
        guard let encryption = core.options.encryption else {
            throw StorageError(.cipherMismatch, "the cluster was opened without encryption")
        }
        return encryption
    }

    /// Adds a data key to the record, unless a change has begun before. Returns its id.
    private nonisolated(nonsending) func beginKeyChange(
        _ encryption: StoreEncryption
    ) async throws(StorageError) -> (key: UInt32, isResumed: Bool) {
        let before = try StoredNamespaceKeys(try await currentRecord().record.keys).ids
        guard before.count == 1 else { return (before[before.count - 1], true) }
        let after = try await changeRecord { (keys, binding) throws(StorageError) in
            // Another client may have begun it since.
            keys.ids == before ? try keys.adding(encryption, for: binding) : keys
        }
        return (after.newest, after.ids != before + [after.newest])
    }

    /// Changes the keys in the record. Returns the new ones.
    @discardableResult
    private nonisolated(nonsending) func changeRecord(
        _ change:
            @escaping @Sendable (
                StoredNamespaceKeys, NamespaceKeyring.Binding
            ) throws(StorageError) -> StoredNamespaceKeys
    ) async throws(StorageError) -> StoredNamespaceKeys {
        while true {
            let (record, bytes) = try await currentRecord()
            let changed = try await core.changingKeys(of: record, named: name, change)
            if changed == record { return try StoredNamespaceKeys(changed.keys) }
            if try await core.replace(recordObject, bytes, changed.bytes) {
                return try StoredNamespaceKeys(changed.keys)
            }
        }
    }
}
