public import ShaleBase
import ShaleSegment

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
/// an error the cursor ends: every further `next` throws it again.
public struct Cursor: ~Copyable {
    private let core: ScanCore
    private var failure: StorageError?

    init(_ core: ScanCore) { self.core = core }

    /// Moves to the next entry; false at the end. O(1) amortised; blocks are read ahead.
    public mutating func next() throws(StorageError) -> Bool {
        if let failure { throw failure }
        do {
            return try core.next()
        } catch {
            failure = error
            throw error
        }
    }

    /// The key of the current entry, until the next call of `next`. Empty before the first.
    public var key: RawSpan {
        @_lifetime(borrow self) get { unsafe _overrideLifetime(core.currentKey.span, borrowing: self) }
    }

    /// The value of the current entry, until the next call of `next`.
    public var value: RawSpan {
        @_lifetime(borrow self) get { unsafe _overrideLifetime(core.currentValue.span, borrowing: self) }
    }

    /// What else is known of the current entry.
    public var info: EntryInfo {
        EntryInfo(
            FoundEntry(trailer: core.currentTrailer, expiry: core.currentExpiry, value: core.currentValue))
    }
}

extension Engine {
    /// A cursor over the entries of `range`, before the first of them in the given order. Reads of blocks that are not cached go past the
    /// cache, in growing pieces.
    public func cursor(
        over range: KeyRange = .all, in namespace: NamespaceID, order: ScanOrder = .forward,
        at snapshot: Snapshot? = nil
    ) throws(StorageError) -> Cursor {
        let plan = ScanPlan(range, in: namespace)
        return Cursor(
            try ScanCore(core, plan, order.isReversed ? .backward : .forward, snapshot, ScanCore.defaultOptions))
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
