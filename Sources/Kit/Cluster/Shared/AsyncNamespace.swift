import ShaleBase

/// A namespace in a store of this process or on a cluster, for code that serves both.
///
/// ```swift
/// func rename(_ id: String, to name: String, in users: some AsyncNamespace) async throws {
///     try await users.update(forKey: id) { (entry) throws(StorageError) in
///         guard var user = try entry?.value(as: User.self) else { return .keep }
///         user.name = name
///         return try .set(user)
///     }
/// }
/// ```
/// ``ClusterNamespace`` conforms, and ``EmbeddedNamespace`` adapts `Store.Namespace`, whose own verbs neither suspend
/// nor pay for this protocol. Differences are stated in ``capabilities``. Only the types of this library conform.
///
/// All functions may be called from any task. A write that returned is seen by every later read. A read whose task is
/// cancelled throws `.cancelled`. A write is cancelled only before it is sent.
public protocol AsyncNamespace: Sendable {
    /// The scan of a range: see ``entries(in:)``.
    associatedtype Entries: AsyncSequence & Sendable where Entries.Element == AsyncEntry

    var capabilities: NamespaceCapabilities { get }

    /// The format of `Codable` values that are set without one.
    var codableFormat: CodableFormat { get }

    /// Returns the entry of a key; `nil` if the key is missing, erased or expired.
    ///
    /// - Throws: `.corruption`, `.newerFormat`, `.closed`, `.cancelled`; of a cluster also `.unavailable`, `.locked`
    ///   and `.namespaceDropped`; of a store also `.ioFailure`.
    nonisolated(nonsending) func entry(forKey key: some StoreKey) async throws(StorageError) -> AsyncEntry?

    /// Returns the entries of several keys in the order of `keys`; `nil` for each missing key. Those of one partition
    /// are of one moment. Throws the errors of ``entry(forKey:)``.
    nonisolated(nonsending) func entries(forKeys keys: [EntryKey]) async throws(StorageError) -> [AsyncEntry?]

    /// Writes changes together: all of them or none.
    ///
    /// - Throws: With nothing written: `.invalidArgument` (a limit), `.unsupported` (a capability), `.noSpace`,
    ///   `.readOnly`, `.closed`, `.cancelled`, `.namespaceDropped`. `.indeterminate` if it is not known whether the
    ///   changes were written.
    nonisolated(nonsending) func write(_ changes: NamespaceChanges) async throws(StorageError)

    /// Changes one key in an atomic step, depending on its entry. `body` may run several times: again after each
    /// concurrent write of the key.
    ///
    /// - Returns: False if `body` kept the entry.
    /// - Throws: The errors of ``write(_:)`` and of `body`.
    @discardableResult
    nonisolated(nonsending) func update(
        forKey key: some StoreKey, _ body: (AsyncEntry?) throws(StorageError) -> EntryUpdate
    ) async throws(StorageError) -> Bool

    /// Returns the bytes that name the partition of a key. Keys with equal names may be changed together.
    func partition(of key: EntryKey) -> [UInt8]

    /// The entries in a range, in bytewise order of their keys.
    ///
    /// A scan reads pages while it is used, and holds a bounded number of them. Its errors are those of
    /// ``entry(forKey:)``.
    func entries(in range: some KeyInterval) -> Entries

    /// Removes all entries that are purgeable. Their space is returned later.
    nonisolated(nonsending) func purgeNow() async throws(StorageError)

    /// Removes all entries. Their space is returned later.
    nonisolated(nonsending) func truncate() async throws(StorageError)
}

/// The outcome of the body of ``AsyncNamespace/update(forKey:_:)``.
public enum EntryUpdate: Sendable {
    /// Nothing is written.
    case keep
    case remove
    /// A value in the encoding that a codec names, with the options of the entry.
    case setPayload([UInt8], codec: ValueCodec, options: ValueOptions = [])

    /// Returns the update that sets a value, encoded as `format` if it has no encoding of its own.
    public static func set<T: Encodable>(
        _ value: T, as format: CodableFormat = .json, options: ValueOptions = []
    ) throws(StorageError) -> EntryUpdate {
        var update = EntryUpdate.keep
        try EncodedValue.with(value, as: nil, default: format) { (payload, codec) in
            update = .setPayload([UInt8](copying: payload), codec: codec, options: options)
        }
        return update
    }

    /// Returns the change of a key; `nil` if nothing is written.
    func change(of key: EntryKey) throws(StorageError) -> NamespaceChange? {
        switch self {
        case .keep: nil
        case .remove: NamespaceChange(key: key, content: .remove)
        case .setPayload(let bytes, let codec, let options): try .setPayload(bytes, codec: codec, forKey: key, options)
        }
    }
}
