public import ShaleBase

extension Namespace {
    /// Stores, as JSON, the properties that reflection finds in a value; `nil` removes the key. For values that are not
    /// `Codable` and have no other encoding.
    ///
    /// ```swift
    /// try orders.set(reflecting: legacyOrder, forKey: "42")
    /// let total = try orders.value(forKey: "42", as: OrderSummary.self)?.total
    /// ```
    /// Structs and classes become objects of their stored properties, including those of superclasses. Enums become
    /// their raw values or the names of their cases. Shale.docc, "Storing by reflection", has tables. Read the value
    /// back as a `Decodable` type or with ``object(forKey:)``. The names of properties become part of the stored
    /// format: renaming one changes it. Reflection is about ten times slower than `Codable`.
    ///
    /// - Throws: The errors of setting a value. `.codecFailure` with a ``ReflectionError`` as its `cause` for cycles,
    ///   nesting over 64, more than 2²⁰ parts and types that reflection can't show; then nothing has been written.
    public func set<T>(
        reflecting value: T?, forKey key: some StoreKey, _ options: ValueOptions = [], durability: Durability? = nil
    ) throws(StorageError) {
        guard let value else { return try remove(key, durability: durability) }
        try ReflectedValue.withJSON(value) { (payload) throws(StorageError) in
            try key.withKeyBytes { (key) throws(StorageError) in try put(payload, .json, key, options, durability) }
        }
    }
}

extension StoreBatch {
    /// Sets a value by reflection; `nil` removes the key. See ``Namespace/set(reflecting:forKey:_:durability:)``.
    public mutating func set<T>(
        reflecting value: T?, forKey key: some StoreKey, in namespace: Namespace, _ options: ValueOptions = []
    ) throws(StorageError) {
        guard let value else { return try remove(key, in: namespace) }
        try ReflectedValue.withJSON(value) { (payload) throws(StorageError) in
            try key.withKeyBytes { (key) throws(StorageError) in try put(payload, .json, key, namespace, options) }
        }
    }
}

extension StoreTransaction {
    /// Sets a value by reflection; `nil` removes the key. See ``Namespace/set(reflecting:forKey:_:durability:)``.
    public func set<T>(
        reflecting value: T?, forKey key: some StoreKey, in namespace: Namespace, _ options: ValueOptions = []
    ) throws(StorageError) {
        guard let value else { return try remove(key, in: namespace) }
        try ReflectedValue.withJSON(value) { (payload) throws(StorageError) in
            try put(payload, .json, key, namespace, options)
        }
    }
}
