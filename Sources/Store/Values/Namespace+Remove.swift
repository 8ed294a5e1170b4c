import ShaleBase
import ShaleEngine

extension Store.Namespace {
    /// Removes a key, whether or not it exists. Throws the errors of setting a value.
    public func remove(_ key: some StoreKey, durability: Durability? = nil) throws(StorageError) {
        try key.withKeyBytes { (key) throws(StorageError) in
            _ = try state.reading { (id) throws(StorageError) -> Void? in
                try state.core.engine.delete(key, in: id, durability: durability)
            }
        }
    }

    /// Removes the keys that start with `prefix`. See ``removeAll(in:durability:)``.
    @discardableResult
    public func removeAll(prefix: some StoreKey, durability: Durability? = nil) throws(StorageError) -> Int {
        try removeAll(in: KeyRange.prefix(try prefix.keyBytes), durability: durability)
    }

    /// Removes the keys that match a pattern. Examines all keys that start with the pattern's literal prefix. See
    /// ``removeAll(in:durability:)``.
    @discardableResult
    public func removeAll(matching pattern: KeyPattern, durability: Durability? = nil) throws(StorageError) -> Int {
        try state.reading { (id) throws(StorageError) -> Int? in
            try state.core.remove(.prefix(pattern.literalPrefix), in: id, durability) { pattern.matches($0) }
        } ?? 0
    }

    /// Removes the keys that exist in a range now. To empty the whole namespace, use ``truncate()``.
    ///
    /// The keys are removed in batches of about 1 MiB in the log; each batch is atomic. A key in the range that is set
    /// meanwhile may be removed or stay.
    ///
    /// - Returns: The number of keys removed.
    /// - Complexity: O(entries of the range).
    @discardableResult
    public func removeAll(
        in range: some KeyInterval, durability: Durability? = nil
    ) throws(StorageError) -> Int {
        let range = try range.keyRange
        return try state.reading { (id) throws(StorageError) -> Int? in
            try state.core.remove(range, in: id, durability)
        } ?? 0
    }
}

extension StoreCore {
    /// The size of a batch in the log after which a removal of many keys starts another batch.
    private static let removalBatchBytes = 1 << 20

    fileprivate func remove(
        _ range: KeyRange, in id: NamespaceID, _ durability: Durability?,
        where isWanted: (RawSpan) -> Bool = { _ in true }
    ) throws(StorageError) -> Int {
        var cursor = try engine.cursor(over: range, in: id, readsValues: false)
        var batch = WriteBatch()
        var count = 0
        while try cursor.next() {
            guard isWanted(cursor.key) else { continue }
            try batch.delete(cursor.key, in: id)
            count += 1
            if batch.byteCount >= StoreCore.removalBatchBytes {
                var full = WriteBatch()
                swap(&full, &batch)
                try engine.write(full, durability: durability)
            }
        }
        try engine.write(batch, durability: durability)
        return count
    }
}
