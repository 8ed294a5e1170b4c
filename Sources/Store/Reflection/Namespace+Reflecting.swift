public import ShaleBase

extension Namespace {
    /// Stores a value that is neither `Codable` nor anything else that the store knows, as JSON of what reflection finds
    /// in it; `nil` removes the key.
    ///
    /// ```swift
    /// try orders.set(reflecting: legacyOrder, forKey: "42")
    /// let total = try orders.value(forKey: "42", as: OrderSummary.self)?.total
    /// ```
    /// Structs and classes become objects of their stored properties, superclasses' included; enums their raw values or
    /// the names of their cases; tables in DESIGN.md, "Reflection". It is read back as a `Decodable` type or with
    /// ``object(forKey:)``. Names of properties become part of what is stored: renaming one changes the format. Slower than
    /// `Codable` by an order of magnitude.
    ///
    /// Errors: those of setting a value, and `.codecFailure`, whose `cause` is a ``ReflectionError`` for cycles, nesting
    /// over 64, more than 2²⁰ parts and what reflection can't show: nothing was written.
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
    /// Sets a value by reflection; `nil` removes the key. As ``Namespace/set(reflecting:forKey:_:durability:)``.
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
    /// Sets a value by reflection; `nil` removes the key. As ``Namespace/set(reflecting:forKey:_:durability:)``.
    public func set<T>(
        reflecting value: T?, forKey key: some StoreKey, in namespace: Namespace, _ options: ValueOptions = []
    ) throws(StorageError) {
        guard let value else { return try remove(key, in: namespace) }
        try ReflectedValue.withJSON(value) { (payload) throws(StorageError) in
            try put(payload, .json, key, namespace, options)
        }
    }
}
