import ShaleBase
import ShalePlatform

extension Scan: AsyncSequence {
    public typealias Failure = StorageError

    /// Returns an iterator before the first element. It sees the namespace as it is now.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(walk: PagedWalk(cursor())) }

    /// A walk that blocks no thread of the task pool. Used by one task at a time. Copies share the walk, but not the
    /// elements of the page that was read last.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let walk: PagedWalk<Element>
        private var page: [Element] = []
        private var index = 0
        private var isLast = false

        fileprivate init(walk: PagedWalk<Element>) { self.walk = walk }

        /// Returns the next element; `nil` at the end. Throws the errors of ``Scan/Cursor/next()``, and `.cancelled` if
        /// the task is cancelled.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async throws(StorageError) -> Element? {
            if Task.isCancelled { throw StorageError(.cancelled, "the task was cancelled") }
            if index == page.count {
                guard !isLast else { return nil }
                let walk = walk
                // Assigned only if no error is thrown, so that an error comes again.
                (page, isLast) = try await BlockingWork.run {
                    (cancellation) throws(StorageError) in try walk.nextPage(cancellation)
                }
                index = 0
            }
            guard index < page.count else { return nil }
            defer { index += 1 }
            return page[index]
        }
    }
}

/// A cursor that is stepped in bounded pages, each on another thread. The lock orders the threads.
private final class PagedWalk<Element: Sendable>: @unchecked Sendable {
    private static var entriesMax: Int { 256 }
    private static var bytesMax: Int { 256 << 10 }

    private let lock = Lock()
    private let cursor: Scan<Element>.Cursor

    init(_ cursor: Scan<Element>.Cursor) { self.cursor = cursor }

    /// Returns the next elements. An error comes after the elements that precede it: with the next page, because the
    /// cursor throws it again.
    func nextPage(
        _ cancellation: Cancellation
    ) throws(StorageError) -> (elements: [Element], isLast: Bool) {
        try lock.withLock { () throws(StorageError) in
            var elements: [Element] = []
            var bytes = 0
            while elements.count < PagedWalk.entriesMax, bytes < PagedWalk.bytesMax {
                try cancellation.check()
                do throws(StorageError) {
                    guard let element = try cursor.next() else { return (elements, true) }
                    elements.append(element)
                } catch {
                    if elements.isEmpty { throw error }
                    return (elements, false)
                }
                bytes += cursor.entryBytes
            }
            return (elements, false)
        }
    }
}
