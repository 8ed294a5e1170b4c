public import ShaleBase
import ShaleMemtable
import ShalePlatform

extension Engine {
    /// Sets `key` to `value`.
    ///
    /// A buffered put usually makes no system call with mapped logs, and one `pwrite` without.
    ///
    /// - Throws: `.invalidArgument` (limits), `.namespaceDropped`, `.noSpace`, `.stalled`, `.readOnly`, `.closed` or
    ///   `.poisoned` if nothing was written. `.indeterminate` if the log failed during this write; then only reopening
    ///   the store shows if it was written.
    /// - Complexity: O(key + value).
    public func put(
        _ value: RawSpan, forKey key: RawSpan, in namespace: NamespaceID, options: PutOptions = .init(),
        durability: Durability? = nil
    ) throws(StorageError) {
        try unsafe value.withUnsafeBytes { (value) throws(StorageError) in
            try unsafe key.withUnsafeBytes { (key) throws(StorageError) in
                try core.commit(
                    namespace, unsafe Bytes(key), options.kind, options.expiryMilliseconds, unsafe Bytes(value),
                    durability)
            }
        }
    }

    /// Removes `key`. Succeeds if the key does not exist. Errors as for ``put(_:forKey:in:options:durability:)``.
    public func delete(
        _ key: RawSpan, in namespace: NamespaceID, durability: Durability? = nil
    ) throws(StorageError) {
        try unsafe key.withUnsafeBytes { (key) throws(StorageError) in
            try core.commit(namespace, unsafe Bytes(key), .delete, 0, .empty, durability)
        }
    }

    /// Applies a batch completely or not at all. An empty batch has no effect.
    public func write(_ batch: consuming WriteBatch, durability: Durability? = nil) throws(StorageError) {
        try core.commit(&batch.encoder, durability ?? core.options.durability)
    }
}

extension EngineCore {
    @inline(__always)
    func commit(
        _ namespace: NamespaceID, _ key: Bytes, _ kind: EntryKind, _ expiry: Int64, _ value: Bytes,
        _ durability: Durability?
    ) throws(StorageError) {
        try checkEntry(key, value)
        if value.count >= thresholds.least {
            return try commitPerhapsLarge(namespace, key, kind, expiry, value, durability)
        }
        try commitSmall(namespace, key, kind, expiry, value, durability)
    }

    /// Commits an operation whose value is large in some namespaces.
    @inline(never)
    private func commitPerhapsLarge(
        _ namespace: NamespaceID, _ key: Bytes, _ kind: EntryKind, _ expiry: Int64, _ value: Bytes,
        _ durability: Durability?
    ) throws(StorageError) {
        guard thresholds.takes(value.count, in: namespace) else {
            return try commitSmall(namespace, key, kind, expiry, value, durability)
        }
        try commitLarge(namespace, key, kind, expiry, value, durability ?? options.durability)
    }

    @inline(__always)
    private func commitSmall(
        _ namespace: NamespaceID, _ key: Bytes, _ kind: EntryKind, _ expiry: Int64, _ value: Bytes,
        _ durability: Durability?
    ) throws(StorageError) {
        if pacer.isActive { pacer.pace(key.count + value.count) }
        guard (durability ?? options.durability) == .buffered,
            try committer.commitSingle(namespace, key, kind, expiry: expiry, value)
        else {
            return try commitSlowly(namespace, key, kind, expiry, value, durability ?? options.durability)
        }
    }

    /// Commits an operation that has to rotate, join a group or be synced, as a batch of one.
    @inline(never)
    private func commitSlowly(
        _ namespace: NamespaceID, _ key: Bytes, _ kind: EntryKind, _ expiry: Int64, _ value: Bytes,
        _ durability: Durability
    ) throws(StorageError) {
        var encoder = BatchEncoder()
        encoder.append(namespace: namespace, key: key, kind: kind, expiry: expiry, value: value)
        try commit(&encoder, durability)
    }

    /// Commits a batch. `check` runs under the commit lock just before the batch gets its sequence; an error that it
    /// throws ends the commit.
    func commit(
        _ encoder: inout BatchEncoder, _ durability: Durability, check: (() throws(StorageError) -> Void)? = nil
    ) throws(StorageError) {
        guard encoder.count > 0 else { return }
        if thresholds.least < Int.max, hasLargeValue(encoder.operations) {
            return try commitSeparated(encoder.operations, durability, check: check)
        }
        try commit(&encoder, nil, durability, check: check)
    }

    /// Commits a batch as it is, with the references to `values` that it completes.
    func commit(
        _ encoder: inout BatchEncoder, _ values: LargeValues?, _ durability: Durability,
        check: (() throws(StorageError) -> Void)? = nil
    ) throws(StorageError) {
        if pacer.isActive { pacer.pace(encoder.byteCount + Int(values?.byteCount ?? 0)) }
        let operations = encoder.count
        var stalled: UInt64?
        while true {
            let isDone =
                switch durability {
                case .buffered: try committer.commitBuffered(encoder.mutableBytes, operations, values, check)
                case .synced: try committer.commitSynced(encoder.mutableBytes, operations, values, check)
                }
            if isDone { return }
            try makeRoom(bytes: encoder.byteCount, operations: operations, values, &stalled)
        }
    }
}
