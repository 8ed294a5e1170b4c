import ShaleBase
import ShalePlatform

extension Store {
    /// The values of a key, a prefix or a range: the current ones, then the newest ones after each change.
    ///
    /// ```swift
    /// for try await theme in try settings.values(for: .theme) { apply(theme) }
    /// ```
    /// An element follows when a key was set or removed, or the namespace purged, truncated or dropped. What was
    /// replaced before it was read is left out; the last state never is. However many changes wait, one element covers
    /// them. Two consecutive elements may be equal. One also follows within a second after
    /// the observed key has expired; for a prefix or a range this is an option.
    ///
    /// The value of one key is read by the task itself: usually at most one block from the disk. A range is read on a
    /// separate thread, so that a loop does not block a thread of the task pool for long.
    ///
    /// An error of a read ends the sequence and is thrown. In all other respects it behaves as ``Store/Changes``.
    public struct Values<Value: Sendable>: AsyncSequence, Sendable {
        public typealias Element = Value
        public typealias Failure = StorageError

        /// The place where values are read: in the task, or on a separate thread.
        enum ReadLocation: Sendable {
            case inPlace
            case onThread
        }

        typealias Read = @Sendable (Cancellation) throws(StorageError) -> Value

        private let changes: Store.Changes
        private let location: ReadLocation
        private let read: Read

        init(_ changes: Store.Changes, _ location: ReadLocation, _ read: @escaping Read) {
            self.changes = changes
            self.location = location
            self.read = read
        }

        /// Ends the observation.
        public func cancel() { changes.cancel() }

        public func makeAsyncIterator() -> Iterator {
            Iterator(reader: changes.makeAsyncIterator().reader, location: location, read: read)
        }

        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let reader: ChangeReader
            fileprivate let location: ReadLocation
            fileprivate let read: Read
            fileprivate var hasStarted = false
            fileprivate var hasEnded = false

            /// Returns the next value; `nil` at the end.
            public mutating func next(
                isolation: isolated (any Actor)? = #isolation
            ) async throws(StorageError) -> Value? {
                if hasEnded { return nil }
                if hasStarted {
                    guard await reader.next(isolation: isolation) != nil else { return nil }
                }
                hasStarted = true
                // All waiting changes are older than the value that is read now.
                while reader.poll() != nil {}
                do throws(StorageError) {
                    switch location {
                    case .inPlace: return try read(Cancellation())
                    case .onThread:
                        let read = read
                        return try await BlockingWork.run { (cancellation) throws(StorageError) in
                            try read(cancellation)
                        }
                    }
                } catch {
                    hasEnded = true
                    throw error
                }
            }
        }
    }
}
