public import ShaleBase

extension Namespace {
    /// The value of a typed key; its default when the key is missing.
    ///
    /// Errors, none of which ever turns into the default: `.typeMismatch` when something else is stored, `.codecFailure`
    /// when it does not decode, `.corruption`, `.newerFormat`, `.ioFailure`, `.closed`.
    public func value<Value>(for key: Key<Value>) throws(StorageError) -> Value {
        try key.coding.read(self, key.name) ?? key.defaultValue
    }

    /// Stores the value of a typed key; `nil` removes it.
    ///
    /// `options` are looked at before the key's, and those before the namespace's. Errors as for
    /// ``set(_:forKey:as:_:durability:)``.
    public func set<Value>(
        _ value: Value, for key: Key<Value>, _ options: ValueOptions = [], durability: Durability? = nil
    ) throws(StorageError) {
        try key.name.withKeyBytes { (name) throws(StorageError) in
            let isThere = try key.coding.withPayload(value, state.core.options.codableFormat) {
                (payload, codec) throws(StorageError) in
                try put(payload, codec, name, [key.options, options], durability)
            }
            if !isThere { try remove(key.name, durability: durability) }
        }
    }

    /// Removes a typed key, whether or not it is there: it reads as its default then.
    public func remove<Value>(_ key: Key<Value>, durability: Durability? = nil) throws(StorageError) {
        try remove(key.name, durability: durability)
    }

    /// Whether a typed key is there.
    public func contains<Value>(_ key: Key<Value>) throws(StorageError) -> Bool { try contains(key.name) }
}
