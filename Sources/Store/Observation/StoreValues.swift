public import ShaleBase

/// The values of a typed key: the current one, then the newest one after each change.
///
/// A value follows when the key was set or removed, or its namespace purged, truncated or dropped. Values that were
/// replaced before they were read are left out; the last one never is. Two consecutive values may be equal.
///
/// An error of ``Namespace/value(for:)`` ends the sequence and is thrown. In all other respects it behaves as
/// ``StoreChanges``.
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
                return try namespace.value(for: key)
            } catch {
                hasEnded = true
                throw error
            }
        }
    }
}
