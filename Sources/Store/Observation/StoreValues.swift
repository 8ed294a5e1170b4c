public import ShaleBase

/// The values of a typed key: the present one, and then the newest whenever the key was set or removed, or its namespace
/// purged, truncated or dropped. Values that were replaced before anybody read them are left out; the last one never is.
/// Two neighbours may be equal.
///
/// Reading throws what ``Namespace/value(for:)`` throws, which ends the sequence. Otherwise as ``StoreChanges``.
public struct StoreValues<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = StorageError

    private let namespace: Namespace
    private let key: Key<Value>
    private let changes: StoreChanges

    init(_ namespace: Namespace, _ key: Key<Value>, _ changes: StoreChanges) {
        self.namespace = namespace
        self.key = key
        self.changes = changes
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(namespace: namespace, key: key, reader: changes.makeAsyncIterator().reader)
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let namespace: Namespace
        fileprivate let key: Key<Value>
        fileprivate let reader: ChangeReader
        fileprivate var hasStarted = false
        fileprivate var hasEnded = false

        /// The next value; `nil` at the end.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async throws(StorageError) -> Value? {
            if hasEnded { return nil }
            if hasStarted {
                guard await reader.next(isolation: isolation) != nil else { return nil }
            }
            hasStarted = true
            // All that waits is older than what is read now.
            while reader.poll() != nil {}
            do throws(StorageError) {
                return try namespace.value(for: key)
            } catch {
                hasEnded = true
                throw error
            }
        }
    }
}
