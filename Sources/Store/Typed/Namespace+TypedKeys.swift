public import ShaleBase

extension Namespace {
    /// Returns the value of a typed key; its default if the key is missing.
    ///
    /// - Throws: `.typeMismatch` if another type is stored; `.codecFailure` if the value can't be decoded;
    ///   `.corruption`, `.newerFormat`, `.ioFailure`, `.closed`. An error never turns into the default.
    public func value<Value>(for key: Key<Value>) throws(StorageError) -> Value {
        try key.coding.read(self, key.name) ?? key.defaultValue
    }

    /// Stores the value of a typed key; `nil` removes it.
    ///
    /// Settings in `options` override those of the key, and the key's override those of the namespace.
    ///
    /// - Throws: The errors of ``set(_:forKey:as:_:durability:)``.
    public func set<Value>(
        _ value: Value, for key: Key<Value>, _ options: ValueOptions = [], durability: Durability? = nil
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

    /// Returns true if a typed key exists.
    public func contains<Value>(_ key: Key<Value>) throws(StorageError) -> Bool { try contains(key.name) }
}

extension Namespace {
    /// The value of a typed key, without errors, for settings and caches.
    ///
    /// A read returns the key's default if the key is missing **and also if it can't be read**. A write that fails
    /// stores nothing. ``Store/health`` records these errors. Where an error must not pass for a default, use
    /// ``value(for:)`` and ``set(_:for:_:durability:)``.
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
                state.core.health.record(error, .read, in: self)
                return key.defaultValue
            }
        }
        nonmutating set {
            do throws(StorageError) {
                try set(newValue, for: key)
            } catch {
                state.core.health.record(error, .write, in: self)
            }
        }
    }
}
