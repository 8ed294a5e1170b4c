import ShaleBase

/// The entries, or the keys, of a range in order: a description that costs nothing until it is walked, and can be walked
/// many times. Each walk sees the namespace as it is when the walk begins, whatever is written meanwhile, and keeps that
/// moment alive: end long walks in time.
///
/// An error can end a walk half way, so elements come with the chance of one:
/// ```swift
/// for entry in orders.entries(in: "a"..<"b").reversed() {
///     let entry = try entry.get()
///     print(entry.key, try entry.value(as: Order.self))
/// }
/// try orders.keys(prefix: "2026-").forEach { (key) throws(StorageError) in print(key) }
/// let first = try orders.keys.array(limit: 10)
/// ```
/// A failed walk gives its error once and ends. The scan may be sent between threads; a walk stays in one.
public struct Scan<Element: Sendable>: Sendable {
    let state: NamespaceState
    /// The error is that of a bound that could not be read.
    let range: Result<KeyRange, StorageError>
    let order: ScanOrder
    let make: @Sendable (borrowing Cursor, NamespaceID) -> Element

    /// The same elements in the other order.
    public func reversed() -> Scan<Element> {
        Scan(state: state, range: range, order: order == .forward ? .reversed : .forward, make: make)
    }

    /// Calls `body` with each element.
    public func forEach(_ body: (Element) throws(StorageError) -> Void) throws(StorageError) {
        let iterator = makeIterator()
        while let element = iterator.next() { try body(try element.get()) }
    }

    /// The elements, or the first `limit` of them.
    public func array(limit: Int = .max) throws(StorageError) -> [Element] {
        var elements: [Element] = []
        let iterator = makeIterator()
        while elements.count < limit, let element = iterator.next() { elements.append(try element.get()) }
        return elements
    }

    /// The first element; `nil` when there is none.
    public func first() throws(StorageError) -> Element? { try array(limit: 1).first }

    /// The number of elements now. Exact.
    ///
    /// It reads indexes instead of entries wherever they tell the number: see ``Engine/count(over:in:at:)``.
    ///
    /// - Complexity: O(blocks) without reading any, plus a lookup for each key that was written since
    ///   its surroundings were compacted; at worst O(entries), without copies.
    public func count() throws(StorageError) -> Int {
        let range = try range.get()
        return try state.reading { (id) throws(StorageError) in
            try state.core.engine.count(over: range, in: id)
        } ?? 0
    }

    /// `nil` when there is no such namespace.
    func makeCursor() throws(StorageError) -> Walk? {
        let range = try range.get()
        while let id = try state.existing() {
            do throws(StorageError) {
                return Walk(cursor: try state.core.engine.cursor(over: range, in: id, order: order), id: id)
            } catch {
                guard error.code == .namespaceDropped else { throw error }
                state.forget(id)
            }
        }
        return nil
    }
}

/// A cursor, and the namespace that it walks over.
struct Walk: ~Copyable {
    var cursor: Cursor
    let id: NamespaceID
}

extension Scan: Sequence {
    public func makeIterator() -> ScanIterator<Element> { ScanIterator(self) }
}

/// A walk over a ``Scan``. One thread at a time. Copies share their position.
public final class ScanIterator<Element: Sendable>: IteratorProtocol {
    /// `nil` at the end.
    private var scan: Scan<Element>?
    /// The walk, from the first step on. Lets go of its moment at the end.
    private var walk: Walk?

    init(_ scan: Scan<Element>) { self.scan = scan }

    /// The next element, or the error that ends the walk; `nil` at the end.
    public func next() -> Result<Element, StorageError>? {
        guard let scan else { return nil }
        do throws(StorageError) {
            if var current = try takeWalk(scan), try current.cursor.next() {
                let element = scan.make(current.cursor, current.id)
                walk = consume current
                return .success(element)
            }
        } catch {
            self.scan = nil
            return .failure(error)
        }
        self.scan = nil
        return nil
    }

    /// Takes the walk out, for one step.
    private func takeWalk(_ scan: Scan<Element>) throws(StorageError) -> Walk? {
        if let current = walk.take() { return current }
        return try scan.makeCursor()
    }
}
