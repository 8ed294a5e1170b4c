public import ShaleBase

extension Store.Namespace {
    /// Stores bytes that ``NamespaceReader/payload(forKey:)`` returned, or that are encoded as `codec` says.
    ///
    /// ```swift
    /// if let (codec, bytes) = try orders.payload(forKey: "a") {
    ///     try copies.setPayload(bytes, codec: codec, forKey: "a")
    /// }
    /// ```
    /// The payload is checked as a load of a dump checks it, so that no read finds it damaged. Payloads of an
    /// application's own codecs (128 … 255) are not decoded, and their codecs need not be registered.
    ///
    /// - Throws: With nothing written, `.codecFailure` if the bytes are not valid for `codec`; its cause is the reason.
    ///   `.newerFormat` if this version does not know `codec`. Also the errors of setting a value.
    /// - Complexity: O(bytes).
    public func setPayload(
        _ bytes: [UInt8], codec: ValueCodec, forKey key: some StoreKey, options: ValueOptions = [],
        durability: Durability? = nil
    ) throws(StorageError) {
        try ContentCheck.checkForWriting(bytes, codec)
        try key.withKeyBytes { (key) throws(StorageError) in
            try put(unsafe bytes.span.bytes, codec, key, options, durability)
        }
    }
}

extension Store.Batch {
    /// Sets encoded bytes. See ``Store/Namespace/setPayload(_:codec:forKey:options:durability:)``.
    public mutating func setPayload(
        _ bytes: [UInt8], codec: ValueCodec, forKey key: some StoreKey, in namespace: Store.Namespace,
        options: ValueOptions = []
    ) throws(StorageError) {
        try ContentCheck.checkForWriting(bytes, codec)
        try key.withKeyBytes { (key) throws(StorageError) in
            try put(unsafe bytes.span.bytes, codec, key, namespace, options)
        }
    }
}

extension Store.Transaction {
    /// Sets encoded bytes. See ``Store/Namespace/setPayload(_:codec:forKey:options:durability:)``.
    public func setPayload(
        _ bytes: [UInt8], codec: ValueCodec, forKey key: some StoreKey, in namespace: Store.Namespace,
        options: ValueOptions = []
    ) throws(StorageError) {
        try ContentCheck.checkForWriting(bytes, codec)
        try unsafe put(bytes.span.bytes, codec, key, namespace, options)
    }
}
