public import ShaleBase

/// The verbs for callers whose keys and values are arrays.
extension Engine {
    /// Sets `key` to `value`: as the form with spans, whose documentation holds.
    public func put(
        _ value: [UInt8], forKey key: [UInt8], in namespace: NamespaceID, _ options: PutOptions = .init(),
        durability: Durability? = nil
    ) throws(StorageError) {
        try unsafe put(value.span.bytes, forKey: key.span.bytes, in: namespace, options, durability: durability)
    }

    /// Removes `key`, whether or not it is there.
    public func delete(_ key: [UInt8], in namespace: NamespaceID, durability: Durability? = nil) throws(StorageError) {
        try unsafe delete(key.span.bytes, in: namespace, durability: durability)
    }

    /// A copy of the value of `key`; `nil` when the key is not there.
    public func value(
        forKey key: [UInt8], in namespace: NamespaceID, at snapshot: Snapshot? = nil
    ) throws(StorageError) -> [UInt8]? {
        try unsafe value(forKey: key.span.bytes, in: namespace, at: snapshot)
    }
}

extension WriteBatch {
    /// Adds a put.
    public mutating func put(
        _ value: [UInt8], forKey key: [UInt8], in namespace: NamespaceID, _ options: PutOptions = .init()
    ) throws(StorageError) {
        try unsafe put(value.span.bytes, forKey: key.span.bytes, in: namespace, options)
    }

    /// Adds a delete, whether or not the key is there.
    public mutating func delete(_ key: [UInt8], in namespace: NamespaceID) throws(StorageError) {
        try unsafe delete(key.span.bytes, in: namespace)
    }
}

extension Cursor {
    /// Moves before the first entry at or behind `key`, in the cursor's order.
    public mutating func seek(to key: [UInt8]) throws(StorageError) { try unsafe seek(to: key.span.bytes) }
}
