public import ShaleBase

extension Store.Namespace {
    /// Stores the value of a typed key; `nil` removes it.
    ///
    /// Settings in `options` override those of the key, and the key's override those of the namespace.
    ///
    /// - Throws: The errors of ``set(_:forKey:as:options:durability:)``.
    public func set<Value>(
        _ value: Value, for key: Key<Value>, options: ValueOptions = [], durability: Durability? = nil
    ) throws(StorageError) {
        try key.name.withKeyBytes { (name) throws(StorageError) in
            let isPresent = try key.coding.withPayload(value, state.core.options.codableFormat) {
                (payload, codec) throws(StorageError) in
                try put(payload, codec, name, [key.options, options], durability)
            }
            if !isPresent { try remove(key.name, durability: durability) }
        }
    }

    /// Removes a typed key, whether or not it exists. It then reads as its default.
    public func remove<Value>(_ key: Key<Value>, durability: Durability? = nil) throws(StorageError) {
        try remove(key.name, durability: durability)
    }
}

extension Store.Namespace {
    /// The value of a typed key, without errors, for settings and caches.
    ///
    /// A read returns the key's default if the key is missing **and also if it can't be read**. A write that fails
    /// stores nothing. ``Store/health`` records these errors. Where an error must not pass for a default, use
    /// ``NamespaceReader/value(for:)`` and ``set(_:for:options:durability:)``.
    ///
    /// ```swift
    /// settings[.quality] = 0.5
    /// settings[.launches] += 1    // not atomic: see Store.transaction for that
    /// ```
    public subscript<Value>(key: Key<Value>) -> Value {
        get {
            do throws(StorageError) {
                return try value(for: key)
            } catch {
                record(error, .read)
                return key.defaultValue
            }
        }
        nonmutating set {
            do throws(StorageError) {
                try set(newValue, for: key)
            } catch {
                record(error, .write)
            }
        }
    }
}
