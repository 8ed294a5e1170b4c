public import ShaleBase

/// A copy of an entry.
public struct Entry: Sendable, Hashable {
    public let key: [UInt8]
    public let value: [UInt8]
}

/// The entries of a range as a `Sequence` of copies. Each element is a result, because reading can fail where a
/// `Sequence` can't throw: the first failure is the last element.
///
/// ```swift
/// for entry in engine.sequence(over: .prefix(prefix), in: orders) { use(try entry.get()) }
/// ```
///
/// Every iterator walks the store as of the moment it was made.
public struct EntrySequence: Sequence {
    let engine: Engine
    let range: KeyRange
    let namespace: NamespaceID
    let order: ScanOrder
    let snapshot: Snapshot?

    public func makeIterator() -> Iterator { Iterator(self) }

    public struct Iterator: IteratorProtocol {
        private let scan: Result<ScanCore, StorageError>
        private var isEnded = false

        init(_ sequence: EntrySequence) {
            scan = Result { () throws(StorageError) in
                try ScanCore(
                    sequence.engine.core, ScanPlan(sequence.range, in: sequence.namespace),
                    sequence.order.isReversed ? .backward : .forward, sequence.snapshot, ScanCore.defaultOptions)
            }
        }

        public mutating func next() -> Result<Entry, StorageError>? {
            guard !isEnded else { return nil }
            do throws(StorageError) {
                let scan = try scan.get()
                if try scan.next() {
                    return .success(Entry(key: scan.currentKey.array(), value: scan.currentValue.array()))
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
    /// The entries of `range` as a lazy sequence of copies.
    public func sequence(
        over range: KeyRange = .all, in namespace: NamespaceID, order: ScanOrder = .forward,
        at snapshot: Snapshot? = nil
    ) -> EntrySequence {
        EntrySequence(engine: self, range: range, namespace: namespace, order: order, snapshot: snapshot)
    }
}
