import ShaleBase
import ShaleEngine

/// The entries or keys of a range, in order. A scan reads nothing until it is used, and can be used many times.
///
/// ```swift
/// for try await entry in orders.entries(prefix: "2026-") { print(entry.key) }
/// try orders.entries(in: "a"..<"b").reversed().forEach { print($0.key, try $0.value(as: Order.self)) }
/// let first = try orders.keys.array(limit: 10)
/// let teas = try orders.entries.filter { try $0.value(as: Order.self).item == "tea" }
/// ```
/// Step by step, with a cursor:
/// ```swift
/// let cursor = orders.keys.cursor()
/// while let key = try cursor.next() { print(key) }
/// ```
/// A walk is one use of a scan: a loop, a cursor, or one call of a function such as ``forEach(_:)``.
///
/// - **One moment.** A walk sees the namespace as of its start, whatever is written meanwhile. It keeps old versions of
///   entries on disk and in memory while it lasts, so end long walks in time.
/// - **Pages.** ``after(_:)`` continues behind a key. The last key of a page is a stable token for the next page: it
///   stays valid across processes and writes, even if the key itself is removed.
/// - **Closing.** If the store is closed during a walk, the next step throws `.closed`.
/// - **Errors.** The error of a step ends the walk. Every further step throws it again.
///
/// Functions block the calling thread for the disk. A `for try await` loop does not: it reads pages of at most 256
/// entries and about 256 KiB on a separate thread. It throws `.cancelled` once its task is cancelled.
///
/// A function that takes a closure has two forms: a closure that throws ``StorageError`` only, or nothing, makes the
/// function throw ``StorageError``; with any other closure it throws any error. The closure's error ends the walk and
/// arrives unchanged.
public struct Scan<Element: Sendable>: Sendable {
    let source: Store.Namespace.Source
    /// The range, or the error of a bound that could not be read.
    let range: Result<KeyRange, StorageError>
    let order: ScanOrder
    /// False if ``make`` uses no value, so that a walk reads no value files.
    let readsValues: Bool
    let make: @Sendable (borrowing ReadCursor, NamespaceID) -> Element

    /// Returns a scan of the same elements in the opposite order.
    public func reversed() -> Scan<Element> {
        Scan(
            source: source, range: range, order: order == .forward ? .reversed : .forward, readsValues: readsValues,
            make: make)
    }

    /// Returns a scan of the elements that follow `key` in this scan's order. The key itself is not among them, and
    /// need not exist.
    ///
    /// ```swift
    /// let page = try orders.keys(prefix: "2026-").after(token).array(limit: 100)
    /// token = page.last ?? token
    /// ```
    /// In a reversed scan these are the elements with smaller keys. The result keeps to the scan's range: if `key`
    /// precedes the range, nothing is left out. Reverse a scan first, then continue it.
    public func after(_ key: some StoreKey) -> Scan<Element> {
        let rest = Result { () throws(StorageError) in
            try range.get().continued(after: try key.keyBytes, order)
        }
        return Scan(source: source, range: rest, order: order, readsValues: readsValues, make: make)
    }

    /// Returns a cursor before the first element. It sees the namespace as it is now.
    public func cursor() -> Cursor { Cursor(self) }

    /// The position of one walk over a scan. Used by one thread at a time.
    public final class Cursor {
        private let scan: Scan<Element>
        /// `nil` at the end. Then the moment's versions are released.
        private var position: ReadPosition?
        private var failure: StorageError?
        /// The bytes of the key and the value of the entry that was returned last.
        private(set) var entryBytes = 0

        init(_ scan: Scan<Element>) {
            self.scan = scan
            do throws(StorageError) {
                position = try scan.source.position(
                    try scan.range.get(), scan.order, readsValues: scan.readsValues)
            } catch {
                failure = error
            }
        }

        /// Returns the next element; `nil` at the end, and on every later call.
        ///
        /// - Throws: `.corruption`, `.ioFailure`, `.namespaceDropped` and `.closed`; the error of a bound that is no
        ///   valid key; `.invalidArgument` in a transaction that has ended. Every later call throws the error again.
        public func next() throws(StorageError) -> Element? {
            if let failure { throw failure }
            guard var current = position.take() else { return nil }
            do throws(StorageError) {
                try scan.source.state.core.requireOpen()
                guard try current.cursor.next() else { return nil }
            } catch {
                failure = error
                throw error
            }
            entryBytes = current.cursor.withCurrent { (key, value, _) in key.byteCount + value.byteCount }
            let element = scan.make(current.cursor, current.id)
            position = consume current
            return element
        }
    }
}

extension KeyRange {
    /// Returns the part of the range that follows `key` in a direction.
    fileprivate func continued(after key: [UInt8], _ order: ScanOrder) -> KeyRange {
        if order == .forward {
            switch lower {
            case .included(let bound) where key.lexicographicallyPrecedes(bound): return self
            case .excluded(let bound) where key.lexicographicallyPrecedes(bound): return self
            default: return KeyRange(lower: .excluded(key), upper: upper)
            }
        }
        switch upper {
        case .included(let bound) where bound.lexicographicallyPrecedes(key): return self
        case .excluded(let bound) where bound.lexicographicallyPrecedes(key): return self
        default: return KeyRange(lower: lower, upper: .excluded(key))
        }
    }
}
