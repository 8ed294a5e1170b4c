public import ShaleBase

extension Engine {
    /// A copy of an entry.
    public struct Entry: Sendable, Hashable {
        public let key: [UInt8]
        public let value: [UInt8]
    }
}

/// The entries of a range as a `Sequence` of copies.
///
/// Each element is a `Result`, because reading can fail and a `Sequence` can't throw. The first failure is the last
/// element.
///
/// ```swift
/// for entry in engine.sequence(over: .prefix(prefix), in: orders) { use(try entry.get()) }
/// ```
///
/// Every iterator reads the store as of its creation, or at the given snapshot.
public struct EntrySequence: Sequence {
    let engine: Engine
    let range: KeyRange
    let namespace: NamespaceID
    let order: ScanOrder
    let snapshot: Engine.Snapshot?

    public func makeIterator() -> Iterator { Iterator(self) }

    public struct Iterator: IteratorProtocol {
        /// Shared by copies of an iterator, which so share their position.
        private final class Walk {
            var cursor: Engine.Cursor
            init(_ cursor: consuming Engine.Cursor) { self.cursor = cursor }
        }

        private let walk: Result<Walk, StorageError>
        private var isEnded = false

        init(_ sequence: EntrySequence) {
            walk = Result { () throws(StorageError) in
                Walk(
                    try sequence.engine.cursor(
                        over: sequence.range, in: sequence.namespace, order: sequence.order, at: sequence.snapshot))
            }
        }

        public mutating func next() -> Result<Engine.Entry, StorageError>? {
            guard !isEnded else { return nil }
            do throws(StorageError) {
                let walk = try walk.get()
                if try walk.cursor.next() {
                    return .success(
                        Engine.Entry(
                            key: walk.cursor.key.array(),
                            value: walk.cursor.value.array()))
                }
                isEnded = true
                return nil
            } catch {
                isEnded = true
                return .failure(error)
            }
        }
    }
}

extension Engine {
    /// Returns the entries of `range` as a lazy sequence of copies.
    public func sequence(
        over range: KeyRange = .all, in namespace: NamespaceID, order: ScanOrder = .forward,
        at snapshot: Engine.Snapshot? = nil
    ) -> EntrySequence {
        EntrySequence(engine: self, range: range, namespace: namespace, order: order, snapshot: snapshot)
    }
}
