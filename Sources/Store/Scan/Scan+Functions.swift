import ShaleBase

// MARK: Without closures

extension Scan {
    /// Returns the elements, or the first `limit` of them.
    public func array(limit: Int = .max) throws(StorageError) -> [Element] {
        var elements: [Element] = []
        guard limit > 0 else { return elements }
        let cursor = cursor()
        while elements.count < limit, let element = try cursor.next() { elements.append(element) }
        return elements
    }

    /// Returns the first element; `nil` if there is none.
    public func first() throws(StorageError) -> Element? { try cursor().next() }

    /// Returns the number of elements now. Exact.
    ///
    /// It uses indexes instead of entries where they suffice: see ``Engine/count(over:in:at:)``.
    ///
    /// - Complexity: O(blocks) without reading any, plus a lookup for each key written since its neighbourhood was
    ///   compacted; at worst O(entries), without copies. In a transaction also a lookup for each of its own writes.
    public func count() throws(StorageError) -> Int { try source.count(try range.get()) }
}

// MARK: With a closure that throws StorageError, or nothing

extension Scan {
    /// Calls `body` with each element.
    public func forEach(_ body: (Element) throws(StorageError) -> Void) throws(StorageError) {
        try fold((), unchanged) { (_, element) throws(StorageError) in try body(element) }
    }

    /// Returns the first element that satisfies `predicate`; `nil` if there is none.
    public func first(where predicate: (Element) throws(StorageError) -> Bool) throws(StorageError) -> Element? {
        try find(unchanged, predicate)
    }

    /// Returns true if an element satisfies `predicate`. Stops at the first one.
    public func contains(where predicate: (Element) throws(StorageError) -> Bool) throws(StorageError) -> Bool {
        try find(unchanged, predicate) != nil
    }

    /// Returns the results of `transform` for all elements, in order.
    public func map<T>(_ transform: (Element) throws(StorageError) -> T) throws(StorageError) -> [T] {
        try fold([], unchanged) { (list: inout [T], element) throws(StorageError) in
            list.append(try transform(element))
        }
    }

    /// Returns the results of `transform` that are not `nil`, in order.
    public func compactMap<T>(_ transform: (Element) throws(StorageError) -> T?) throws(StorageError) -> [T] {
        try fold([], unchanged) { (list: inout [T], element) throws(StorageError) in
            if let value = try transform(element) { list.append(value) }
        }
    }

    /// Returns the elements that satisfy `predicate`, in order.
    public func filter(_ predicate: (Element) throws(StorageError) -> Bool) throws(StorageError) -> [Element] {
        try fold([], unchanged) { (list: inout [Element], element) throws(StorageError) in
            if try predicate(element) { list.append(element) }
        }
    }

    /// Returns the result of combining all elements, in order, with `initial`.
    public func reduce<R>(
        _ initial: R, _ combine: (R, Element) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try fold(initial, unchanged) { (result: inout R, element) throws(StorageError) in
            result = try combine(result, element)
        }
    }

    private func unchanged(_ error: StorageError) -> StorageError { error }
}

// MARK: With a closure that throws any error

extension Scan {
    /// Calls `body` with each element. An error of `body` ends the walk and is thrown.
    public func forEach(_ body: (Element) throws -> Void) throws {
        try fold((), erased) { (_, element) in try body(element) }
    }

    /// Returns the first element that satisfies `predicate`; `nil` if there is none.
    public func first(where predicate: (Element) throws -> Bool) throws -> Element? { try find(erased, predicate) }

    /// Returns true if an element satisfies `predicate`. Stops at the first one.
    public func contains(where predicate: (Element) throws -> Bool) throws -> Bool {
        try find(erased, predicate) != nil
    }

    /// Returns the results of `transform` for all elements, in order.
    public func map<T>(_ transform: (Element) throws -> T) throws -> [T] {
        try fold([], erased) { (list: inout [T], element) in list.append(try transform(element)) }
    }

    /// Returns the results of `transform` that are not `nil`, in order.
    public func compactMap<T>(_ transform: (Element) throws -> T?) throws -> [T] {
        try fold([], erased) { (list: inout [T], element) in
            if let value = try transform(element) { list.append(value) }
        }
    }

    /// Returns the elements that satisfy `predicate`, in order.
    public func filter(_ predicate: (Element) throws -> Bool) throws -> [Element] {
        try fold([], erased) { (list: inout [Element], element) in if try predicate(element) { list.append(element) } }
    }

    /// Returns the result of combining all elements, in order, with `initial`.
    public func reduce<R>(_ initial: R, _ combine: (R, Element) throws -> R) throws -> R {
        try fold(initial, erased) { (result: inout R, element) in result = try combine(result, element) }
    }

    private func erased(_ error: StorageError) -> any Error { error }
}

// MARK: Walks

extension Scan {
    /// Walks over all elements. `failure` converts the errors of the walk into those of `body`.
    private func fold<R, Failure: Error>(
        _ initial: R, _ failure: (StorageError) -> Failure, _ body: (inout R, Element) throws(Failure) -> Void
    ) throws(Failure) -> R {
        var result = initial
        _ = try find(failure) { (element) throws(Failure) in
            try body(&result, element)
            return false
        }
        return result
    }

    /// Walks up to the first element that satisfies `predicate`.
    private func find<Failure: Error>(
        _ failure: (StorageError) -> Failure, _ predicate: (Element) throws(Failure) -> Bool
    ) throws(Failure) -> Element? {
        let cursor = cursor()
        while true {
            let element: Element?
            do throws(StorageError) {
                element = try cursor.next()
            } catch {
                throw failure(error)
            }
            guard let element else { return nil }
            if try predicate(element) { return element }
        }
    }
}
