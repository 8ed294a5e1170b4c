public import ShaleBase

/// Overloads for callers whose keys and values are arrays.
extension Engine {
    /// Sets `key` to `value`. See the overload with spans.
    public func put(
        _ value: [UInt8], forKey key: [UInt8], in namespace: NamespaceID, options: PutOptions = .init(),
        durability: Durability? = nil
    ) throws(StorageError) {
        try unsafe put(
            value.span.bytes, forKey: key.span.bytes, in: namespace, options: options, durability: durability)
    }

    /// Removes `key`. Succeeds if the key does not exist.
    public func delete(_ key: [UInt8], in namespace: NamespaceID, durability: Durability? = nil) throws(StorageError) {
        try unsafe delete(key.span.bytes, in: namespace, durability: durability)
    }

    /// Returns a copy of the value of `key`; `nil` if the key does not exist.
    public func value(
        forKey key: [UInt8], in namespace: NamespaceID, at snapshot: Engine.Snapshot? = nil
    ) throws(StorageError) -> [UInt8]? {
        try unsafe value(forKey: key.span.bytes, in: namespace, at: snapshot)
    }
}

extension WriteBatch {
    /// Adds a put.
    public mutating func put(
        _ value: [UInt8], forKey key: [UInt8], in namespace: NamespaceID, options: PutOptions = .init()
    ) throws(StorageError) {
        try unsafe put(value.span.bytes, forKey: key.span.bytes, in: namespace, options: options)
    }

    /// Adds a delete. The key does not have to exist.
    public mutating func delete(_ key: [UInt8], in namespace: NamespaceID) throws(StorageError) {
        try unsafe delete(key.span.bytes, in: namespace)
    }
}

extension Engine.Cursor {
    /// Moves before the first entry at or after `key`, in the cursor's order.
    public mutating func seek(to key: [UInt8]) throws(StorageError) { try unsafe seek(to: key.span.bytes) }
}
