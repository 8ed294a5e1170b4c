import ShaleBase

extension Namespace {
    /// All entries, in bytewise order of their keys.
    public var entries: Scan<NamespaceEntry> { entries(in: KeyRange.all) }

    /// The entries whose keys lie in `range`: `"a"..<"b"`, `"a"..."b"`, `"a"...`, `..<"b"`, `..."b"`, `KeyRange.all`.
    public func entries(in range: some KeyInterval) -> Scan<NamespaceEntry> {
        scan(range) { [state] (cursor, id) in NamespaceEntry(cursor, state, id) }
    }

    /// The entries whose keys start with `prefix`.
    public func entries(prefix: some StoreKey) -> Scan<NamespaceEntry> { entries(in: PrefixInterval(prefix)) }

    /// All keys, in bytewise order.
    public var keys: Scan<EntryKey> { keys(in: KeyRange.all) }

    /// The keys in `range`. Values are not copied.
    public func keys(in range: some KeyInterval) -> Scan<EntryKey> {
        scan(range) { (cursor, _) in EntryKey([UInt8](copying: cursor.key)) }
    }

    /// The keys that start with `prefix`.
    public func keys(prefix: some StoreKey) -> Scan<EntryKey> { keys(in: PrefixInterval(prefix)) }

    /// The keys that match a pattern, in bytewise order. Examines all keys that start with the pattern's literal
    /// prefix.
    public func keys(matching pattern: KeyPattern) throws(StorageError) -> [EntryKey] {
        var keys: [EntryKey] = []
        guard var position = try self.keys(prefix: pattern.literalPrefix).makeCursor() else { return keys }
        while try position.cursor.next() {
            if pattern.matches(position.cursor.key) { keys.append(EntryKey([UInt8](copying: position.cursor.key))) }
        }
        return keys
    }

    /// The number of entries now. Exact, and mostly read from indexes. See ``Scan/count()`` for its cost.
    public func count() throws(StorageError) -> Int { try keys.count() }

    private func scan<Element>(
        _ range: some KeyInterval, _ make: @escaping @Sendable (borrowing Cursor, NamespaceID) -> Element
    ) -> Scan<Element> {
        let keys: Result<KeyRange, StorageError>
        do throws(StorageError) {
            keys = .success(try range.keyRange)
        } catch {
            keys = .failure(error)
        }
        return Scan(state: state, range: keys, order: .forward, make: make)
    }
}

/// The range of all keys that start with a key.
private struct PrefixInterval<Prefix: StoreKey>: KeyInterval {
    let prefix: Prefix

    init(_ prefix: Prefix) { self.prefix = prefix }

    var keyRange: KeyRange {
        get throws(StorageError) { .prefix(try prefix.keyBytes) }
    }
}

/// A copy of an entry that a scan found. Its value is decoded on access.
public struct NamespaceEntry: Sendable {
    public let key: EntryKey
    private let stored: [UInt8]
    private let entryInfo: EntryInfo
    private let codecs: CodecTable
    /// The namespace whose keys decrypt the value; `nil` if the value is not encrypted.
    private let sealedIn: (state: NamespaceState, id: NamespaceID)?

    init(_ cursor: borrowing Cursor, _ state: NamespaceState, _ id: NamespaceID) {
        key = EntryKey([UInt8](copying: cursor.key))
        let stored = [UInt8](copying: cursor.value)
        self.stored = stored
        entryInfo = cursor.info
        codecs = state.core.codecs
        let isPlain = unsafe stored.withUnsafeBytes { Envelope.isPlain(unsafe Bytes($0)) }
        sealedIn = isPlain ? nil : (state, id)
    }

    /// Passes the envelope, decrypted if necessary, to `body`.
    private func read<R>(_ body: (RawSpan) throws(StorageError) -> R) throws(StorageError) -> R {
        guard let (state, id) = sealedIn else { return try unsafe body(stored.span.bytes) }
        let plain = try unsafe state.opened(stored.span.bytes, key.bytes.span.bytes, id, entryInfo)
        return try unsafe body(plain.span.bytes)
    }

    /// Returns the value as a type that has an encoding of its own. Throws the errors of
    /// ``Namespace/value(forKey:as:)``.
    public func value<T: StorableValue>(as type: T.Type = T.self) throws(StorageError) -> T {
        try read { (value) throws(StorageError) in try EncodedValue.decode(T.self, value) }
    }

    /// Returns the value, decoded from the format that it was stored in.
    public func value<T: Decodable>(as type: T.Type = T.self) throws(StorageError) -> T {
        try read { (value) throws(StorageError) in try EncodedValue.decode(T.self, value) }
    }

    /// Returns the value in the form in which it was stored.
    public func object() throws(StorageError) -> StoredValue {
        try read { (value) throws(StorageError) in try EncodedValue.object(value, codecs) }
    }

    /// Returns what is known of the entry without decoding its value.
    public func info() throws(StorageError) -> ValueInfo {
        try unsafe ValueInfo(stored.span.bytes, entryInfo)
    }
}
