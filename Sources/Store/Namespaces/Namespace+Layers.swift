package import ShaleBase
import ShaleEngine

/// Access for modules that build on namespaces.
extension Store.Namespace {
    /// The number of times that a transaction runs again because a namespace was dropped.
    private static var dropAttempts: Int { 64 }

    /// Runs `body` as a transaction of the namespace's store, again after each conflict, at most `attempts` times, and
    /// again if a namespace that it used was dropped meanwhile. The commit keeps to capacities that are enforced on
    /// writing.
    package func transaction<R>(
        attempts: Int = .max, durability: Durability? = nil,
        _ body: (borrowing Store.Transaction) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let core = state.core
        var drops = 0
        while true {
            try core.requireOpen()
            do throws(StorageError) {
                return try core.transaction(
                    attempts, durability,
                    { (transaction) throws(StorageError) in try body(Store.Transaction(core, transaction)) }, { $0 })
            } catch {
                drops += 1
                guard error.code == .namespaceDropped, drops < Self.dropAttempts else { throw error }
            }
        }
    }

    /// Runs `body` as a transaction that is not committed yet, and returns the result and the transaction.
    package func prepare<R>(
        _ body: (borrowing Store.Transaction) throws(StorageError) -> R
    ) throws(StorageError) -> (result: R, transaction: PreparedTransaction) {
        try state.core.requireOpen()
        let prepared = PreparedTransaction(state.core)
        return (try body(Store.Transaction(state.core, prepared.transaction)), prepared)
    }

    /// Returns the namespace's store as it is now.
    package func snapshot() throws(StorageError) -> Store.Snapshot {
        try state.core.requireOpen()
        return Store.Snapshot(state.core)
    }

    /// Returns options that say everything that a write with `options` would take from the namespace now. Two entries
    /// that are written with the result expire at the same time. Creates the namespace if it does not exist.
    package func resolved(_ options: ValueOptions) throws(StorageError) -> ValueOptions {
        _ = try state.existingOrNew()
        return ValueOptions(state.putOptions(options), isEncrypted: state.encrypts(options), options.cipher)
    }

    /// Creates the namespace if it does not exist.
    package func create() throws(StorageError) { _ = try state.existingOrNew() }

    /// True if values are encrypted when their options leave that to the namespace.
    package var encryptsByDefault: Bool {
        get throws(StorageError) { try state.existing() != nil && state.encrypts([]) }
    }

    /// True if the store was opened for reading only.
    package var isReadOnly: Bool {
        get throws(StorageError) {
            try state.core.requireOpen()
            return state.core.options.engine.mode == .readOnly
        }
    }

    /// The path of the store's directory: ``Store/path``.
    package var storePath: String { state.core.path }

    /// The machine's clock, which may jump. The store's clock, ``wallMilliseconds``, stands still after a jump back.
    package var machineMilliseconds: Int64 { state.core.options.engine.time.wallMilliseconds }

    /// The store's clock.
    package var wallMilliseconds: Int64 { state.core.engine.wallMilliseconds }

    /// The erasures of the namespace so far.
    package var erasures: NamespaceErasures {
        get throws(StorageError) {
            let found = try state.reading { (id) throws(StorageError) in
                let marks = try state.core.engine.erasures(of: id)
                return NamespaceErasures(
                    id: id, truncatedThrough: marks.truncatedThrough, purgedThrough: marks.purgedThrough,
                    singleRemovals: state.core.singleRemovals.withLock { $0[id] ?? 0 })
            }
            return found ?? NamespaceErasures(id: nil, truncatedThrough: 0, purgedThrough: 0, singleRemovals: 0)
        }
    }

    /// Counts a removal of entries without those of other namespaces that belong to them. Must be called before the
    /// removal is visible.
    package func noteSingleRemovals() throws(StorageError) {
        if let id = try state.existing() { state.core.noteSingleRemovals(from: id) }
    }
}

/// A transaction whose reads and writes are complete. Any thread may commit it. Ends without a trace if it is not
/// committed.
package final class PreparedTransaction: Sendable {
    private let core: StoreCore
    fileprivate let transaction: Engine.Transaction

    fileprivate init(_ core: StoreCore) {
        self.core = core
        transaction = Engine.Transaction(core.engine)
    }

    deinit { transaction.end() }

    /// Applies the writes, or throws `.conflict` and applies nothing. Call it at most once.
    package func commit() throws(StorageError) { try core.commit(transaction, nil) }
}

extension StoreCore {
    func noteSingleRemovals(from id: NamespaceID) { singleRemovals.withLock { $0[id, default: 0] += 1 } }
}

/// The ways in which entries of a namespace went without a write of their writer: drops, truncations, purges and
/// policies. Equal values at two times mean that there was none between them, in this process.
package struct NamespaceErasures: Sendable, Equatable {
    let id: NamespaceID?
    package let truncatedThrough: SequenceNumber
    package let purgedThrough: SequenceNumber
    let singleRemovals: UInt64
}

extension Store {
    /// Returns the namespaces of all spaces that have a namespace `name` directly below them, ordered by space and
    /// path.
    ///
    /// - Complexity: O(namespaces of the store).
    package func namespaces(withChild name: String) -> [Store.Namespace] {
        core.engine.namespaces.compactMap { NamespaceName(bytes: $0.name) }
            .filter { $0.components.count > 1 && $0.components.last.map { Array($0.utf8) } == Array(name.utf8) }
            .map { NamespaceName(owner: $0.owner, components: $0.components.dropLast()) }
            .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
            .map { Store.Namespace(core: core, name: $0) }
    }
}

extension ValueOptions {
    /// True if the options name encryption.
    package var namesEncryption: Bool { isEncrypted == true }
}

// Bytes under keys of bytes. Not generic, so that modules above share the specialized code of this one.

extension Store.Namespace {
    /// Returns the bytes of `key`; `nil` if the key is missing.
    package func storedBytes(_ key: [UInt8]) throws(StorageError) -> [UInt8]? { try bytes(forKey: key) }
}

extension Store.Transaction {
    /// Begins a walk over the entries that a namespace has at the transaction's moment, without the transaction's own
    /// writes. Returns `nil` if the namespace does not exist.
    ///
    /// Its entries may change before the commit: ``noteRead(of:in:)`` counts the part that the walk has passed as
    /// read, all at once.
    package func storedWalk(
        _ range: KeyRange, in namespace: Store.Namespace
    ) throws(StorageError) -> NamespaceWalk? {
        let id = try core.readableID(namespace.state)
        let source = Store.Namespace.Source(namespace.state, .snapshot(transaction.snapshot, .success(id)))
        return try NamespaceWalk(source, range, isReversed: false)
    }

    /// Counts a range as read at the transaction's moment.
    package func noteRead(of range: KeyRange, in namespace: Store.Namespace) throws(StorageError) {
        guard let id = try core.readableID(namespace.state) else { return }
        try transaction.noteRead(of: range, in: id)
    }

    /// The number of bytes that the writes take so far, of at most 64 MiB.
    package var byteCount: Int { transaction.byteCount }

    /// Returns the bytes of `key` as this transaction sees them; `nil` if the key is missing.
    package func storedBytes(
        _ key: [UInt8], in namespace: Store.Namespace
    ) throws(StorageError) -> [UInt8]? {
        try value(forKey: key, in: namespace, as: [UInt8].self)
    }

    /// Passes the bytes of `key` as this transaction sees them to `body`, without a copy, if the key exists.
    package func readBytes(
        _ key: [UInt8], in namespace: Store.Namespace, _ body: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        try unsafe self[namespace].readPayload(key.span.bytes) { (payload, codec) throws(StorageError) in
            guard codec != .data else { return try body(payload) }
            let bytes = try [UInt8].decode(payload, codec)
            try unsafe body(bytes.span.bytes)
        }
    }

    /// Returns true if `key` has these bytes, as this transaction sees it.
    package func hasBytes(
        _ bytes: [UInt8], forKey key: [UInt8], in namespace: Store.Namespace
    ) throws(StorageError) -> Bool {
        var isEqual = false
        try unsafe self[namespace].readPayload(key.span.bytes) { (payload, codec) in
            guard codec == .data else { return }
            isEqual = unsafe payload.withUnsafeBytes { (stored) in bytes.withBytes { unsafe $0 == Bytes(stored) } }
        }
        return isEqual
    }

    /// Sets the bytes of `key`.
    package func setBytes(
        _ bytes: [UInt8], forKey key: [UInt8], in namespace: Store.Namespace, options: ValueOptions
    ) throws(StorageError) {
        try set(bytes, forKey: key, in: namespace, options: options)
    }

    /// Sets the bytes of several keys, in their order.
    package func setBytes(
        _ values: KeyList, forKeys keys: KeyList, in namespace: Store.Namespace, options: ValueOptions
    ) throws(StorageError) {
        try keys.withBytes { (keyBytes) throws(StorageError) in
            try values.withBytes { (valueBytes) throws(StorageError) in
                for index in 0..<keys.count {
                    let (key, value) = (keys.range(index), values.range(index))
                    try put(
                        valueBytes.slice(value.lowerBound, value.count).span, .data,
                        keyBytes.slice(key.lowerBound, key.count).span, namespace, options)
                }
            }
        }
    }

    /// Sets a value in the codec's current version, as a compact document unless the codec names a format. With a
    /// session, its encoder is used.
    package func setDocument<Value>(
        _ value: Value, forKey key: [UInt8], in namespace: Store.Namespace, using codec: VersionedCodec<Value>,
        options: ValueOptions, _ session: CompactSession? = nil
    ) throws(StorageError) {
        try codec.withPayload(value, .compact, session: session) { (payload, stored) throws(StorageError) in
            try put(payload, stored, key, namespace, options)
        }
    }

    /// Returns true if `key` exists.
    package func hasKey(_ key: [UInt8], in namespace: Store.Namespace) throws(StorageError) -> Bool {
        try contains(key, in: namespace)
    }

    /// Returns true if none of some keys exists, and if this transaction has read and written none of them before. All
    /// of them count as read.
    package func areNew(_ keys: KeyList, in namespace: Store.Namespace) throws(StorageError) -> Bool {
        guard let id = try core.readableID(namespace.state) else { return false }
        return try transaction.areNew(keys, in: id)
    }

    /// Removes a key, whether or not it exists.
    package func removeKey(_ key: [UInt8], in namespace: Store.Namespace) throws(StorageError) {
        try remove(key, in: namespace)
    }
}
