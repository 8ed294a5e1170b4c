public import ShaleBase

extension Namespace {
    /// Stores a tree of numbers, strings, dates, data, arrays and dictionaries as a binary property list; `nil` removes
    /// the key.
    ///
    /// ```swift
    /// try settings.setObject(["volume": 0.5, "recent": ["a", "b"], "seen": .date(now)], forKey: "ui")
    /// ```
    /// ``object(forKey:)`` returns the same tree, number for number: 1 and 1.0 stay distinct. A matching `Decodable`
    /// type can read it too. Equal trees give equal bytes.
    ///
    /// - Throws: With nothing written, `.codecFailure` for `.null`, which property lists don't have, and for nesting
    ///   over 255. Also the errors of setting a value.
    public func setObject(
        _ tree: StructuredValue?, forKey key: some StoreKey, _ options: ValueOptions = [],
        durability: Durability? = nil
    ) throws(StorageError) {
        guard let tree else { return try remove(key, durability: durability) }
        let payload = try tree.propertyListPayload
        try key.withKeyBytes { (key) throws(StorageError) in
            try put(unsafe payload.span.bytes, .propertyList, key, options, durability)
        }
    }
}

extension StoreBatch {
    /// Sets a tree; `nil` removes the key. See ``Namespace/setObject(_:forKey:_:durability:)``.
    public mutating func setObject(
        _ tree: StructuredValue?, forKey key: some StoreKey, in namespace: Namespace, _ options: ValueOptions = []
    ) throws(StorageError) {
        guard let tree else { return try remove(key, in: namespace) }
        let payload = try tree.propertyListPayload
        try key.withKeyBytes { (key) throws(StorageError) in
            try put(unsafe payload.span.bytes, .propertyList, key, namespace, options)
        }
    }
}

extension StoreTransaction {
    /// Sets a tree; `nil` removes the key. See ``Namespace/setObject(_:forKey:_:durability:)``.
    public func setObject(
        _ tree: StructuredValue?, forKey key: some StoreKey, in namespace: Namespace, _ options: ValueOptions = []
    ) throws(StorageError) {
        guard let tree else { return try remove(key, in: namespace) }
        let payload = try tree.propertyListPayload
        try unsafe put(payload.span.bytes, .propertyList, key, namespace, options)
    }
}

extension StructuredValue {
    /// The tree as stored: in an array of one element, because not every value can be the root of a property list.
    var propertyListPayload: [UInt8] {
        get throws(StorageError) {
            do throws(ParseFailure) {
                return try BinaryPropertyListWriter.bytes(.array([.value(self)]))
            } catch {
                throw StorageError(.codecFailure, "a tree can't be stored as a property list: \(error.reason)")
            }
        }
    }
}
