public import ShaleBase

/// How a scan reads.
public struct ScanOrder: Sendable, Hashable {
    public static let forward = ScanOrder(isReversed: false)
    public static let reversed = ScanOrder(isReversed: true)

    let isReversed: Bool
}

/// Walks the entries of a range at one moment, lending keys and values.
///
/// ```swift
/// var cursor = try engine.cursor(over: .prefix(prefix), in: orders)
/// while try cursor.next() { consume(cursor.key, cursor.value) }
/// ```
///
/// One thread at a time. The moment is a snapshot that the cursor holds: see ``Snapshot`` for what old ones cost. After
/// an error the cursor ends: every further `next` throws it again, until a ``seek(to:)`` succeeds.
///
/// A cursor costs little to make: what it needs is kept for the next one of the same engine. It reads its first blocks through the
/// cache and the many that may follow past it, ahead and in growing pieces.
public struct Cursor: ~Copyable {
    private let scan: ScanCore
    private var failure: StorageError?

    init(_ scan: ScanCore) { self.scan = scan }

    deinit { scan.finish() }

    /// Moves to the next entry; false at the end. O(1) amortised.
    ///
    /// Errors: `.corruption`, `.ioFailure`, `.namespaceDropped` (noticed now and then), `.closed`.
    public mutating func next() throws(StorageError) -> Bool {
        if let failure { throw failure }
        do {
            return try scan.next()
        } catch {
            failure = error
            throw error
        }
    }

    /// Moves before the first entry whose key is ≥ `key`, or, in a reversed cursor, before the last one whose key is ≤
    /// `key`: the following `next` is the first to stand on an entry. Keys outside the cursor's range stand for its
    /// nearest end.
    ///
    /// The moment, the range and the order stay. It works from anywhere: before the first `next`, at the end, after an error, and
    /// with `key` being the cursor's own ``key``. O(log n) and cheaper than a new cursor: nothing is allocated.
    ///
    /// Errors as for ``next()``, and `.invalidArgument` when the key is longer than 16 KiB. After an error the cursor has
    /// ended.
    public mutating func seek(to key: RawSpan) throws(StorageError) {
        do {
            try unsafe key.withUnsafeBytes { (key) throws(StorageError) in try scan.seek(to: unsafe Bytes(key)) }
            failure = nil
        } catch {
            failure = error
            throw error
        }
    }

    /// The key of the current entry, until the next call of `next` or `seek`. Empty while there is none: before the
    /// first `next`, and after a `seek`.
    public var key: RawSpan {
        @_lifetime(borrow self) get { unsafe _overrideLifetime(scan.currentKey.span, borrowing: self) }
    }

    /// The value of the current entry, until the next call of `next` or `seek`.
    public var value: RawSpan {
        @_lifetime(borrow self) get { unsafe _overrideLifetime(scan.currentValue.span, borrowing: self) }
    }

    /// What else is known of the current entry.
    public var info: EntryInfo { EntryInfo(scan.currentFound) }
}

extension Engine {
    /// A cursor over the entries of `range`, before the first of them in the given order. Reads nothing yet.
    ///
    /// Errors: `.namespaceDropped`, `.closed`.
    public func cursor(
        over range: KeyRange = .all, in namespace: NamespaceID, order: ScanOrder = .forward,
        at snapshot: Snapshot? = nil
    ) throws(StorageError) -> Cursor {
        Cursor(try ScanCore.begin(core, range, in: namespace, order.isReversed ? .backward : .forward, snapshot))
    }

    /// Copies of the entries of `range`, in order.
    public func entries(
        over range: KeyRange = .all, in namespace: NamespaceID, order: ScanOrder = .forward,
        at snapshot: Snapshot? = nil, limit: Int = .max
    ) throws(StorageError) -> [(key: [UInt8], value: [UInt8])] {
        var cursor = try cursor(over: range, in: namespace, order: order, at: snapshot)
        var entries: [(key: [UInt8], value: [UInt8])] = []
        while entries.count < limit, try cursor.next() {
            entries.append(
                (
                    unsafe cursor.key.withUnsafeBytes { unsafe [UInt8]($0) },
                    unsafe cursor.value.withUnsafeBytes { unsafe [UInt8]($0) }
                ))
        }
        return entries
    }
}
