public import ShaleBase

/// Changes of a value that keep the expiry and the flags of its entry.
extension Store.Transaction {
    /// Changes the value of `key`; a missing key begins with `defaultValue`. Returns the result of `body`.
    ///
    /// The entry keeps its expiry and its flags, as in `Namespace.update(forKey:as:default:)`.
    @discardableResult
    public func update<T: Codable & Sendable, R>(
        forKey key: some StoreKey, in namespace: Store.Namespace, as type: T.Type = T.self, default defaultValue: T,
        format: CodableFormat? = nil, options: ValueOptions = [], _ body: (inout T) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try update(EntryUpdate(namespace, .codable(format), defaultValue, [], options), key, body) { $0 }
    }

    /// Does the same for a `body` that throws errors of any type.
    @discardableResult
    public func update<T: Codable & Sendable, R>(
        forKey key: some StoreKey, in namespace: Store.Namespace, as type: T.Type = T.self, default defaultValue: T,
        format: CodableFormat? = nil, options: ValueOptions = [], _ body: (inout T) throws -> R
    ) throws -> R {
        try update(EntryUpdate(namespace, .codable(format), defaultValue, [], options), key, body) { $0 }
    }

    /// Changes the value of a typed key; a missing key begins with the key's default. Returns the result of `body`.
    @discardableResult
    public func update<Value, R>(
        for key: Key<Value>, in namespace: Store.Namespace, options: ValueOptions = [],
        _ body: (inout Value) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try update(EntryUpdate(namespace, key, options), key.name, body) { $0 }
    }

    /// Does the same for a `body` that throws errors of any type.
    @discardableResult
    public func update<Value, R>(
        for key: Key<Value>, in namespace: Store.Namespace, options: ValueOptions = [],
        _ body: (inout Value) throws -> R
    ) throws -> R {
        try update(EntryUpdate(namespace, key, options), key.name, body) { $0 }
    }

    /// Adds `amount` to an integer; a missing key counts as 0. Returns the new number.
    ///
    /// - Throws: `.overflow` if the sum does not fit into `T`; `.typeMismatch` if the stored value is no integer that
    ///   fits into `T`. Nothing is written then.
    @discardableResult
    public func increment<T: FixedWidthInteger & StorableValue>(
        forKey key: some StoreKey, by amount: T, in namespace: Store.Namespace, options: ValueOptions = []
    ) throws(StorageError) -> T {
        try increment(EntryUpdate(namespace, .storable(), 0, [], options), key, by: amount)
    }

    /// Adds `amount`, 1 if it is not given, to an `Int`; a missing key counts as 0. Returns the new number.
    @discardableResult
    public func increment(
        forKey key: some StoreKey, by amount: Int = 1, in namespace: Store.Namespace, options: ValueOptions = []
    ) throws(StorageError) -> Int {
        try increment(EntryUpdate(namespace, .storable(), 0, [], options), key, by: amount)
    }

    /// Adds `amount` to the number of a typed key; a missing key counts as its default. Returns the new number.
    @discardableResult
    public func increment<T: FixedWidthInteger & StorableValue>(
        for key: Key<T>, by amount: T = 1, in namespace: Store.Namespace, options: ValueOptions = []
    ) throws(StorageError) -> T {
        try increment(EntryUpdate(namespace, key, options), key.name, by: amount)
    }

    /// Gives the entry of `key` a new expiry or purgeability and keeps its value. See
    /// ``Store/Namespace/touch(_:forKey:durability:)``. Returns true if the key exists.
    @discardableResult
    public func touch(
        _ options: ValueOptions, forKey key: some StoreKey, in namespace: Store.Namespace
    ) throws(StorageError) -> Bool {
        try options.requireNoEncryption()
        let key = try key.keyBytes
        guard let id = try core.readableID(namespace.state), let entry = try transaction.entry(forKey: key, in: id)
        else {
            return false
        }
        let changed = namespace.state.putOptions([ValueOptions(keeping: entry.info), options])
        guard
            changed.isPurgeable != entry.info.isPurgeable
                || changed.expiresAtMilliseconds != entry.info.expiresAtMilliseconds
        else { return true }
        guard let dataKey = try SealedEnvelope.dataKey(of: entry.value) else {
            try transaction.put(entry.value, forKey: key, in: id, options: changed)
            return true
        }
        // Expiry and purgeability are authenticated with the value, so an encrypted value is sealed again.
        let state = namespace.state
        let plain = try unsafe state.opened(entry.value.span.bytes, key.span.bytes, id, entry.info)
        let cipher = try state.chosenCipher(ofKey: dataKey, id)
        let again = try unsafe state.sealed(plain.span.bytes, key.span.bytes, id, changed, cipher)
        transaction.attach(again.use, as: ObjectIdentifier(again.use.key))
        try transaction.put(again.value, forKey: key, in: id, options: changed)
        return true
    }

    /// Gives the entry of a typed key a new expiry or purgeability and keeps its value.
    @discardableResult
    public func touch<Value>(
        _ options: ValueOptions, for key: Key<Value>, in namespace: Store.Namespace
    ) throws(StorageError) -> Bool {
        try touch(options, forKey: key.name, in: namespace)
    }
}

/// The description of a change that reads a value, changes it and writes it.
struct EntryUpdate<Value: Sendable> {
    let namespace: Store.Namespace
    let coding: KeyCoding<Value>
    /// The value that a missing key begins with.
    let defaultValue: Value
    /// The options of an entry that is created.
    let base: ValueOptions
    /// The options of the call. They override those of the entry.
    let options: ValueOptions

    init(
        _ namespace: Store.Namespace, _ coding: KeyCoding<Value>, _ defaultValue: Value, _ base: ValueOptions,
        _ options: ValueOptions
    ) {
        self.namespace = namespace
        self.coding = coding
        self.defaultValue = defaultValue
        self.base = base
        self.options = options
    }

    init(_ namespace: Store.Namespace, _ key: Key<Value>, _ options: ValueOptions) {
        self.init(namespace, key.coding, key.defaultValue, key.options, options)
    }
}

extension SealedEnvelope {
    /// Returns the number of the data key that a stored value is encrypted with; `nil` if it is not encrypted.
    static func dataKey(of value: [UInt8]) throws(StorageError) -> UInt32? {
        try unsafe value.span.bytes.withUnsafeBytes { (buffer) throws(StorageError) in
            let value = unsafe Bytes(buffer)
            return Envelope.isPlain(value) ? nil : try SealedEnvelope(value).dataKey
        }
    }
}

extension NamespaceState {
    /// Returns the cipher that a write named for the values of a data key; `nil` if the cipher came from the namespace
    /// or the store.
    func chosenCipher(ofKey dataKey: UInt32, _ id: NamespaceID) throws(StorageError) -> CipherID? {
        let keys = try dataKeys(id, try core.requireKeyRing())
        return keys.key(dataKey).flatMap { $0.slot.isChosen ? $0.cipher : nil }
    }
}

extension Store.Transaction {
    /// The part of an entry that an update needs: its envelope, decrypted, and its options.
    private struct Kept {
        let envelope: [UInt8]
        let options: ValueOptions
    }

    /// Reads a value, passes it to `body` and writes it. `failure` converts the store's errors.
    func update<Value, R, Failure: Error>(
        _ update: EntryUpdate<Value>, _ key: some StoreKey, _ body: (inout Value) throws(Failure) -> R,
        _ failure: (StorageError) -> Failure
    ) throws(Failure) -> R {
        let kept: Kept?
        var value = update.defaultValue
        do throws(StorageError) {
            kept = try self.kept(key, update.namespace)
            if let kept { value = try unsafe update.coding.decode(kept.envelope.span.bytes) }
        } catch {
            throw failure(error)
        }
        let result = try body(&value)
        do throws(StorageError) {
            try put(value, update, key, kept)
        } catch {
            throw failure(error)
        }
        return result
    }

    func increment<T: FixedWidthInteger>(
        _ update: EntryUpdate<T>, _ key: some StoreKey, by amount: T
    ) throws(StorageError) -> T {
        try self.update(
            update, key,
            { (value: inout T) throws(StorageError) in
                let (sum, overflow) = value.addingReportingOverflow(amount)
                guard !overflow else {
                    throw StorageError(.overflow, "the sum does not fit into the integer type type=\(T.self)")
                }
                value = sum
                return sum
            }, { $0 })
    }

    private func put<Value>(
        _ value: Value, _ update: EntryUpdate<Value>, _ key: some StoreKey, _ kept: Kept?
    ) throws(StorageError) {
        let namespace = update.namespace
        var format = core.options.codableFormat
        var options: ValueOptions = [update.base, update.options]
        if let kept {
            // The base still decides on the encryption of a value that is not encrypted.
            options = [update.base, kept.options, update.options]
            // A document keeps its format.
            let codec = try unsafe Envelope.read(kept.envelope.span.bytes) { (envelope) throws(StorageError) in
                try VersionedPayload(envelope.payload, envelope.codec).codec
            }
            format = CodableFormat(codec) ?? format
        }
        let isPresent = try update.coding.withPayload(value, format) { (payload, codec) throws(StorageError) in
            try put(payload, codec, key, namespace, options)
        }
        if !isPresent, kept != nil { try remove(key, in: namespace) }
    }

    private func kept(_ key: some StoreKey, _ namespace: Store.Namespace) throws(StorageError) -> Kept? {
        let key = try key.keyBytes
        guard let id = try core.readableID(namespace.state), let entry = try transaction.entry(forKey: key, in: id)
        else {
            return nil
        }
        var options = ValueOptions(keeping: entry.info)
        guard let dataKey = try SealedEnvelope.dataKey(of: entry.value) else {
            return Kept(envelope: entry.value, options: options)
        }
        let state = namespace.state
        let cipher = try state.chosenCipher(ofKey: dataKey, id)
        options = [options, cipher.map { .encrypted(with: $0) } ?? .encrypted]
        return Kept(
            envelope: try unsafe state.opened(entry.value.span.bytes, key.span.bytes, id, entry.info),
            options: options)
    }
}
