public import ShaleBase
import ShaleEngine

extension Store {
    /// A batch of writes that are committed together. See ``Store/write(durability:_:)``. The last write of a key wins.
    /// Used by one thread.
    public struct Batch: ~Copyable {
        private let core: StoreCore
        private var batch = WriteBatch()
        /// The namespaces written to. If one of them turns out to be dropped, their ids are looked up again.
        private var states: [NamespaceID: NamespaceState] = [:]
        /// The bytes of purgeable values for namespaces whose capacity is enforced on writing.
        private var cappedBytes: [NamespaceID: Int64] = [:]
        /// The keys that values were encrypted with, held until the batch is committed.
        private var keyUses = KeyUses()

        init(_ core: StoreCore) { self.core = core }

        /// The number of writes so far.
        public var count: Int { batch.count }

        /// The bytes that the batch takes in the log.
        public var byteCount: Int { batch.byteCount }

        /// True if the commit may have to remove entries first.
        var isCapped: Bool { !cappedBytes.isEmpty }

        /// Sets a value in its own encoding; `nil` removes the key.
        @inlinable
        public mutating func set<T: StorableValue>(
            _ value: T?, forKey key: some StoreKey, in namespace: Store.Namespace, options: ValueOptions = []
        ) throws(StorageError) {
            guard let value else { return try remove(key, in: namespace) }
            let codec = value.codec
            try key.withKeyBytes { (key) throws(StorageError) in
                try value.withPayload { (payload) throws(StorageError) in
                    try put(payload, codec, key, namespace, options)
                }
            }
        }

        /// Sets a `Codable` value; `nil` removes the key. `format` is as in
        /// ``Store/Namespace/set(_:forKey:as:options:durability:)``.
        public mutating func set<T: Encodable>(
            _ value: T?, forKey key: some StoreKey, in namespace: Store.Namespace, as format: CodableFormat? = nil,
            options: ValueOptions = []
        ) throws(StorageError) {
            guard let value else { return try remove(key, in: namespace) }
            try key.withKeyBytes { (key) throws(StorageError) in
                try EncodedValue.with(value, as: format, default: core.options.codableFormat) {
                    (payload, codec) throws(StorageError) in try put(payload, codec, key, namespace, options)
                }
            }
        }

        /// Removes a key, whether or not it exists.
        public mutating func remove(_ key: some StoreKey, in namespace: Store.Namespace) throws(StorageError) {
            let id = try resolve(namespace)
            try key.withKeyBytes { (key) throws(StorageError) in try batch.delete(key, in: id) }
        }

        @usableFromInline
        package mutating func put(
            _ payload: RawSpan, _ codec: ValueCodec, _ key: RawSpan, _ namespace: Store.Namespace,
            _ options: ValueOptions
        ) throws(StorageError) {
            let id = try resolve(namespace)
            let putOptions = namespace.state.putOptions(options)
            let isEncrypted = namespace.state.encrypts(options)
            try Envelope.with(codec, payload, writtenAt: namespace.state.writeTime) { (envelope) throws(StorageError) in
                guard isEncrypted else { return try put(envelope, key, namespace.state, id, putOptions) }
                let sealed = try namespace.state.sealed(envelope, key, id, putOptions, options.cipher)
                keyUses.hold(sealed.use)
                try unsafe put(sealed.value.span.bytes, key, namespace.state, id, putOptions)
            }
        }

        /// Writes an envelope as it is, encrypted if the namespace's options say so.
        mutating func put(_ entry: DumpedEntry, in namespace: Store.Namespace) throws(StorageError) {
            let id = try resolve(namespace)
            let state = namespace.state
            guard state.defaults.isEncrypted else {
                return try unsafe put(entry.envelope.span.bytes, entry.key.span.bytes, state, id, entry.options)
            }
            let sealed = try unsafe state.sealed(
                entry.envelope.span.bytes, entry.key.span.bytes, id, entry.options, nil)
            keyUses.hold(sealed.use)
            try unsafe put(sealed.value.span.bytes, entry.key.span.bytes, state, id, entry.options)
        }

        private mutating func put(
            _ value: RawSpan, _ key: RawSpan, _ state: NamespaceState, _ id: NamespaceID, _ options: PutOptions
        ) throws(StorageError) {
            try batch.put(value, forKey: key, in: id, options: options)
            guard options.isPurgeable, state.isCapped else { return }
            cappedBytes[id, default: 0] += PolicyRun.bytes(key.byteCount, value.byteCount)
        }

        private mutating func resolve(_ namespace: Store.Namespace) throws(StorageError) -> NamespaceID {
            let id = try core.id(for: namespace)
            if states[id] == nil { states[id] = namespace.state }
            return id
        }

        consuming func commit(_ durability: Durability?) throws(StorageError) {
            let keyUses = keyUses
            defer { withExtendedLifetime(keyUses) {} }
            var charges = CapacityCharges()
            do throws(StorageError) {
                if !cappedBytes.isEmpty { charges = try core.charge(cappedBytes) }
                try core.engine.write(batch, durability: durability)
                charges.end(after: nil)
            } catch {
                charges.end(after: error)
                if error.code == .namespaceDropped { for (id, state) in states { state.forget(id) } }
                throw error
            }
        }
    }
}
