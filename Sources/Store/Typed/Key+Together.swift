public import ShaleBase

/// Typed keys in batches and transactions.
extension StoreBatch {
    /// Sets the value of a typed key; `nil` removes it. See ``Namespace/set(_:for:_:durability:)``.
    public mutating func set<Value>(
        _ value: Value, for key: Key<Value>, in namespace: Namespace, _ options: ValueOptions = []
    ) throws(StorageError) {
        let isThere = try key.name.withKeyBytes { (name) throws(StorageError) in
            try key.coding.withPayload(value, namespace.state.core.options.codableFormat) {
                (payload, codec) throws(StorageError) in
                try put(payload, codec, name, namespace, [key.options, options])
            }
        }
        if !isThere { try remove(key.name, in: namespace) }
    }
}

extension StoreTransaction {
    /// Returns the value of a typed key as this transaction sees it; its default if the key is missing. Throws the
    /// errors of ``Namespace/value(for:)``.
    public func value<Value>(for key: Key<Value>, in namespace: Namespace) throws(StorageError) -> Value {
        guard let stored = try stored(key.name, namespace) else { return key.defaultValue }
        return try unsafe key.coding.decode(stored.span.bytes)
    }

    /// Sets the value of a typed key; `nil` removes it. See ``Namespace/set(_:for:_:durability:)``.
    public func set<Value>(
        _ value: Value, for key: Key<Value>, in namespace: Namespace, _ options: ValueOptions = []
    ) throws(StorageError) {
        let isThere = try key.coding.withPayload(value, namespace.state.core.options.codableFormat) {
            (payload, codec) throws(StorageError) in
            try put(payload, codec, key.name, namespace, [key.options, options])
        }
        if !isThere { try remove(key.name, in: namespace) }
    }
}
