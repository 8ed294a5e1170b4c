import ShaleBase
import ShaleEngine

extension NamespaceReader {
    /// All entries, in bytewise order of their keys.
    public var entries: Scan<Store.Entry> { entries(in: KeyRange.all) }

    /// The entries whose keys lie in `range`: `"a"..<"b"`, `"a"..."b"`, `"a"...`, `..<"b"`, `..."b"`, `KeyRange.all`.
    public func entries(in range: some KeyInterval) -> Scan<Store.Entry> {
        let state = source.state
        return scan(range) { (cursor, id) in Store.Entry(cursor, state, id) }
    }

    /// The entries whose keys start with `prefix`.
    public func entries(prefix: some StoreKey) -> Scan<Store.Entry> { entries(in: PrefixInterval(prefix)) }

    /// All keys, in bytewise order.
    public var keys: Scan<EntryKey> { keys(in: KeyRange.all) }

    /// The keys in `range`. Values are not copied.
    public func keys(in range: some KeyInterval) -> Scan<EntryKey> {
        scan(range, readsValues: false) { (cursor, _) in
            cursor.withCurrent { (key, _, _) in EntryKey([UInt8](copying: key)) }
        }
    }

    /// The keys that start with `prefix`.
    public func keys(prefix: some StoreKey) -> Scan<EntryKey> { keys(in: PrefixInterval(prefix)) }

    /// The keys that match a pattern, in bytewise order. Examines all keys that start with the pattern's literal
    /// prefix.
    public func keys(matching pattern: KeyPattern) throws(StorageError) -> [EntryKey] {
        let keys: Scan<EntryKey?> = scan(PrefixInterval(pattern.literalPrefix), readsValues: false) {
            (cursor, _) in
            cursor.withCurrent { (key, _, _) in pattern.matches(key) ? EntryKey([UInt8](copying: key)) : nil }
        }
        return try keys.compactMap(\.self)
    }

    /// The number of entries. Exact, and mostly read from indexes. See ``Scan/count()`` for its cost.
    public func count() throws(StorageError) -> Int { try keys.count() }

    private func scan<Element>(
        _ range: some KeyInterval, readsValues: Bool = true,
        _ make: @escaping @Sendable (borrowing ReadCursor, NamespaceID) -> Element
    ) -> Scan<Element> {
        Scan(
            source: source, range: Result { () throws(StorageError) in try range.keyRange }, order: .forward,
            readsValues: readsValues, make: make)
    }
}

/// The range of all keys that start with a key.
struct PrefixInterval<Prefix: StoreKey>: KeyInterval {
    let prefix: Prefix

    init(_ prefix: Prefix) { self.prefix = prefix }

    var keyRange: KeyRange {
        get throws(StorageError) { .prefix(try prefix.keyBytes) }
    }
}

extension Store {
    /// A copy of an entry that a scan found. Its value is decoded on access.
    public struct Entry: Sendable {
        public let key: EntryKey
        private let stored: [UInt8]
        private let entryInfo: EntryInfo
        private let state: NamespaceState
        private let id: NamespaceID

        init(_ cursor: borrowing ReadCursor, _ state: NamespaceState, _ id: NamespaceID) {
            (key, stored, entryInfo) = cursor.withCurrent { (key, value, info) in
                (EntryKey([UInt8](copying: key)), [UInt8](copying: value), info)
            }
            self.state = state
            self.id = id
        }

        /// Passes the envelope, decrypted if necessary, to `body`.
        func read<R>(_ body: (RawSpan) throws(StorageError) -> R) throws(StorageError) -> R {
            try unsafe state.withPlain(stored.span.bytes, entryInfo, key.bytes.span.bytes, id, body)
        }

        /// Returns the value as a type that has an encoding of its own. Throws the errors of
        /// ``NamespaceReader/value(forKey:as:)``.
        public func value<T: StorableValue>(as type: T.Type = T.self) throws(StorageError) -> T {
            try read { (value) throws(StorageError) in try EncodedValue.decode(T.self, value) }
        }

        /// Returns the value, decoded from the format that it was stored in.
        public func value<T: Decodable>(as type: T.Type = T.self) throws(StorageError) -> T {
            try read { (value) throws(StorageError) in try EncodedValue.decode(T.self, value) }
        }

        /// Returns the value in the form in which it was stored.
        public func object() throws(StorageError) -> StoredValue {
            try read { (value) throws(StorageError) in try EncodedValue.object(value, state.core.codecs) }
        }

        /// Returns the encoded bytes of the value, decrypted if necessary, with their codec. See
        /// ``NamespaceReader/payload(forKey:)``.
        public func payload() throws(StorageError) -> (codec: ValueCodec, bytes: [UInt8]) {
            try read { (value) throws(StorageError) in
                try Envelope.read(value) { (envelope) in (envelope.codec, envelope.payload.array()) }
            }
        }

        /// Returns what is known of the entry without decoding its value.
        public func info() throws(StorageError) -> ValueInfo {
            try unsafe ValueInfo(stored.span.bytes, entryInfo, state, id)
        }
    }
}
