import ShaleBase

/// The entries or keys of a range, in order. A scan reads nothing until it is iterated, and can be iterated many times.
///
/// Each iteration sees the namespace as of its start, whatever is written meanwhile. It keeps old versions of entries
/// from being removed while it lasts, so end long iterations in time.
///
/// An error can end an iteration half way, so its elements are results:
/// ```swift
/// for entry in orders.entries(in: "a"..<"b").reversed() {
///     let entry = try entry.get()
///     print(entry.key, try entry.value(as: Order.self))
/// }
/// try orders.keys(prefix: "2026-").forEach { (key) throws(StorageError) in print(key) }
/// let first = try orders.keys.array(limit: 10)
/// ```
/// A failed iteration delivers its error once and ends. A scan may be sent between threads; an iteration stays in one.
public struct Scan<Element: Sendable>: Sendable {
    let state: NamespaceState
    /// The range, or the error of a bound that could not be read.
    let range: Result<KeyRange, StorageError>
    let order: ScanOrder
    let make: @Sendable (borrowing Cursor, NamespaceID) -> Element

    /// Returns a scan of the same elements in the opposite order.
    public func reversed() -> Scan<Element> {
        Scan(state: state, range: range, order: order == .forward ? .reversed : .forward, make: make)
    }

    /// Calls `body` with each element.
    public func forEach(_ body: (Element) throws(StorageError) -> Void) throws(StorageError) {
        let iterator = makeIterator()
        while let element = iterator.next() { try body(try element.get()) }
    }

    /// Returns the elements, or the first `limit` of them.
    public func array(limit: Int = .max) throws(StorageError) -> [Element] {
        var elements: [Element] = []
        let iterator = makeIterator()
        while elements.count < limit, let element = iterator.next() { elements.append(try element.get()) }
        return elements
    }

    /// Returns the first element; `nil` if there is none.
    public func first() throws(StorageError) -> Element? { try array(limit: 1).first }

    /// Returns the number of elements now. Exact.
    ///
    /// It uses indexes instead of entries where they suffice: see ``Engine/count(over:in:at:)``.
    ///
    /// - Complexity: O(blocks) without reading any, plus a lookup for each key written since its neighbourhood was
    ///   compacted; at worst O(entries), without copies.
    public func count() throws(StorageError) -> Int {
        let range = try range.get()
        return try state.reading { (id) throws(StorageError) in
            try state.core.engine.count(over: range, in: id)
        } ?? 0
    }

    /// Returns a cursor over the range; `nil` if the namespace does not exist.
    func makeCursor() throws(StorageError) -> NamespaceCursor? {
        let range = try range.get()
        while let id = try state.existing() {
            do throws(StorageError) {
                return NamespaceCursor(cursor: try state.core.engine.cursor(over: range, in: id, order: order), id: id)
            } catch {
                guard error.code == .namespaceDropped else { throw error }
                state.forget(id)
            }
        }
        return nil
    }
}

/// A cursor and the namespace that it iterates over.
struct NamespaceCursor: ~Copyable {
    var cursor: Cursor
    let id: NamespaceID
}

extension Scan: Sequence {
    public func makeIterator() -> ScanIterator<Element> { ScanIterator(self) }
}

/// An iteration of a ``Scan``. Used by one thread at a time. Copies share their position.
public final class ScanIterator<Element: Sendable>: IteratorProtocol {
    /// `nil` at the end.
    private var scan: Scan<Element>?
    /// The cursor, from the first step on. At the end it is released, and its snapshot with it.
    private var position: NamespaceCursor?

    init(_ scan: Scan<Element>) { self.scan = scan }

    /// Returns the next element, or the error that ends the iteration; `nil` at the end.
    public func next() -> Result<Element, StorageError>? {
        guard let scan else { return nil }
        do throws(StorageError) {
            if var current = try takePosition(scan), try current.cursor.next() {
                let element = scan.make(current.cursor, current.id)
                position = consume current
                return .success(element)
            }
        } catch {
            self.scan = nil
            return .failure(error)
        }
        self.scan = nil
        return nil
    }

    /// Takes the cursor out for one step.
    private func takePosition(_ scan: Scan<Element>) throws(StorageError) -> NamespaceCursor? {
        if let current = position.take() { return current }
        return try scan.makeCursor()
    }
}
