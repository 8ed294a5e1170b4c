public import Shale
import ShaleBase
import ShalePlatform

extension RecordQuery {
    /// Returns the answers to the query: the present one, and a new one after each change that alters it.
    ///
    /// ```swift
    /// for try await page in try people.query(#Predicate { $0.age >= 18 }).answers() { show(page.records) }
    /// ```
    /// Changes that come while an answer is read or processed are answered together, so a slow reader gets fewer
    /// answers and always the newest. Expiry, purges, truncations and drops are changes too. An answer that equals the
    /// one before is left out; records are compared by their stored bytes.
    ///
    /// - Throws: The errors of observing a namespace.
    /// - Complexity: The query runs again after each burst of changes of the collection, whether they concern it or
    ///   not.
    public func answers() throws(StorageError) -> RecordAnswers<Record> {
        RecordAnswers(
            query: self, changes: try core.records.changes(capacity: 64, reportsExpiry: true))
    }
}

/// The answers to a query, as they change. For one reader: copies share the subscription. See
/// ``RecordQuery/answers()``.
public struct RecordAnswers<Record: Codable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = RecordPage<Record>
    public typealias Failure = StorageError

    let query: RecordQuery<Record>
    let changes: Store.Changes

    /// Ends the subscription.
    public func cancel() { changes.cancel() }

    public func makeAsyncIterator() -> Iterator { Iterator(query: query, changes: changes) }

    public struct Iterator: AsyncIteratorProtocol {
        private let query: RecordQuery<Record>
        private let changes: Store.Changes
        private var iterator: Store.Changes.Iterator
        private var last: [[UInt8]]?

        init(query: RecordQuery<Record>, changes: Store.Changes) {
            self.query = query
            self.changes = changes
            iterator = changes.makeAsyncIterator()
        }

        /// Returns the next answer; `nil` when the store is closed, the subscription or the task has been cancelled.
        /// Throws the errors of ``RecordQuery/page()``.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async throws(StorageError) -> RecordPage<Record>? {
            while true {
                if last != nil {
                    guard await iterator.next(isolation: isolation) != nil else { return nil }
                    // Changes that have come since are in the same answer.
                    while changes.next(waiting: .zero) != nil {}
                }
                let query = query
                let (page, content) = try await BlockingWork.run { (_) throws(StorageError) in
                    try query.pageWithContent()
                }
                guard content != last else { continue }
                last = content
                return page
            }
        }
    }
}

extension RecordQuery {
    /// Returns an answer, and the keys and stored bytes of its records, at one moment.
    fileprivate func pageWithContent() throws(StorageError) -> (RecordPage<Record>, [[UInt8]]) {
        try core.base.reading { (moment) throws(StorageError) in
            let page = try page(at: moment)
            var content: [[UInt8]] = []
            for key in page.keys {
                content.append(key.bytes)
                content.append(try moment[core.records].payload(forKey: key.bytes)?.bytes ?? [])
            }
            return (page, content)
        }
    }
}
