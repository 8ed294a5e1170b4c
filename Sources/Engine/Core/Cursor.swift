public import ShaleBase

/// The order of a scan.
public struct ScanOrder: Sendable, Hashable {
    public static let forward = ScanOrder(isReversed: false)
    public static let reversed = ScanOrder(isReversed: true)

    let isReversed: Bool
}

extension Engine {
    /// Iterates over the entries of a range at one moment, without copying keys and values.
    ///
    /// ```swift
    /// var cursor = try engine.cursor(over: .prefix(prefix), in: orders)
    /// while try cursor.next() { consume(cursor.key, cursor.value) }
    /// ```
    ///
    /// Use a cursor from one thread at a time. It holds a snapshot: see ``Engine/Snapshot`` for the cost of old ones.
    /// After an error every further `next` throws the same error, until a ``seek(to:)`` succeeds.
    ///
    /// A cursor is cheap to create, because its engine keeps its parts for the next one. It reads its first blocks
    /// through the cache. Later blocks bypass the cache and are read ahead in growing pieces.
    public struct Cursor: ~Copyable {
        private let scan: ScanCore
        private var failure: StorageError?

        init(_ scan: ScanCore) { self.scan = scan }

        deinit { scan.finish() }

        /// Moves to the next entry; returns false at the end.
        ///
        /// - Throws: `.corruption`, `.ioFailure`, `.namespaceDropped` (checked about every 4096 entries) or `.closed`.
        /// - Complexity: O(1), amortised.
        public mutating func next() throws(StorageError) -> Bool {
            if let failure { throw failure }
            do {
                return try scan.next()
            } catch {
                failure = error
                throw error
            }
        }

        /// Moves before the first entry whose key is ≥ `key`; in a reversed cursor, before the last entry whose key is
        /// ≤ `key`.
        ///
        /// The following `next` moves to that entry. A key outside the cursor's range selects the range's nearest end.
        /// The moment, the range and the order stay the same. The call is valid in every state: before the first
        /// `next`, at the end, after an error, and with the cursor's own ``key``. O(log n), and cheaper than a new
        /// cursor because nothing is allocated.
        ///
        /// - Throws: The errors of ``next()``, and `.invalidArgument` if the key is longer than 16 KiB. After an error
        ///   the cursor has ended.
        public mutating func seek(to key: RawSpan) throws(StorageError) {
            do {
                try unsafe key.withUnsafeBytes { (key) throws(StorageError) in try scan.seek(to: unsafe Bytes(key)) }
                failure = nil
            } catch {
                failure = error
                throw error
            }
        }

        /// The key of the current entry, valid until the next call of `next` or `seek`.
        ///
        /// Empty if there is no current entry: before the first `next`, and after a `seek`.
        public var key: RawSpan {
            @_lifetime(borrow self) get { unsafe _overrideLifetime(scan.currentKey.span, borrowing: self) }
        }

        /// The value of the current entry, valid until the next call of `next` or `seek`.
        public var value: RawSpan {
            @_lifetime(borrow self) get { unsafe _overrideLifetime(scan.currentValue.span, borrowing: self) }
        }

        /// The properties of the current entry.
        public var info: EntryInfo { scan.currentInfo }

        /// Passes the current entry to `body`, which reads parts of its value. For a cursor that reads no value files.
        package func withParts<R>(
            _ body: (PartialEntry) throws(StorageError) -> R
        ) throws(StorageError) -> R {
            try body(try PartialEntry(scan.currentFound, scan.valueSource))
        }
    }
}

extension Engine {
    /// Returns a cursor over the entries of `range`, positioned before the first entry in the given order.
    ///
    /// Reads nothing yet.
    ///
    /// - Throws: `.namespaceDropped` or `.closed`.
    public func cursor(
        over range: KeyRange = .all, in namespace: NamespaceID, order: ScanOrder = .forward,
        at snapshot: Engine.Snapshot? = nil
    ) throws(StorageError) -> Engine.Cursor {
        try cursor(over: range, in: namespace, order: order, at: snapshot, readsValues: true)
    }

    /// Returns a cursor that reads no value files unless `readsValues` is true. It has keys and properties of its
    /// entries; the value of an entry in a value file is undefined. With `readsMany` the first entries take longer, and
    /// several of them less.
    package func cursor(
        over range: KeyRange, in namespace: NamespaceID, order: ScanOrder = .forward,
        at snapshot: Engine.Snapshot? = nil, readsValues: Bool, readsMany: Bool = false
    ) throws(StorageError) -> Engine.Cursor {
        let direction = order.isReversed ? Direction.backward : .forward
        return Engine.Cursor(
            try ScanCore.begin(
                core, range, in: namespace, direction, snapshot, readsLargeValues: readsValues, readsMany: readsMany))
    }

    /// Returns copies of the entries of `range`, in order.
    public func entries(
        over range: KeyRange = .all, in namespace: NamespaceID, order: ScanOrder = .forward,
        at snapshot: Engine.Snapshot? = nil, limit: Int = .max
    ) throws(StorageError) -> [(key: [UInt8], value: [UInt8])] {
        var cursor = try cursor(over: range, in: namespace, order: order, at: snapshot)
        var entries: [(key: [UInt8], value: [UInt8])] = []
        while entries.count < limit, try cursor.next() {
            entries.append((cursor.key.array(), cursor.value.array()))
        }
        return entries
    }
}

extension RawSpan {
    /// Returns a copy of the bytes.
    func array() -> [UInt8] { unsafe withUnsafeBytes { unsafe [UInt8]($0) } }
}
