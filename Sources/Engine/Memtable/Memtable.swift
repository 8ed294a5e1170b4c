package import ShaleBase
import Synchronization

/// The in-memory sorted buffer of entries: an adaptive radix tree over an arena.
///
/// **One writer**: ``insert(namespace:userKey:trailer:expiry:value:)`` is called by one thread at a time, with sequences that rise per key;
/// the caller orders successive writers (a lock, a hand-over). **Any number of readers** at any time, without locks: a
/// read sees every insert that happened before it began, and of concurrent ones either all or nothing.
///
/// What reads return is lent: it points into the arena and lives as long as this object. The arena goes back to its pool
/// with the last reference.
@safe
package final class Memtable: @unchecked Sendable {
    let tree: RadixTree
    private let arena: Arena
    private let counters = MemtableCounters()
    private let lookAhead = LookAhead()

    /// - Parameter arena: empty, and not used by anyone else. One from an ``ArenaPool`` goes back there at the end.
    package init(arena: Arena) {
        self.arena = arena
        unsafe tree = RadixTree(base: arena.start)
    }

    deinit {
        lookAhead.free()
        arena.giveBack()
    }

    // MARK: - Writing

    /// Adds one version. The caller asked ``hasRoom(bytes:operations:)`` for the whole batch before.
    ///
    /// - Parameters:
    ///   - userKey: at most 16 384 bytes.
    ///   - trailer: a sequence above every one this key has here, and a known kind.
    ///   - expiry: ignored unless the kind has one.
    /// - Complexity: O(key length), independent of the number of entries.
    package func insert(
        namespace: NamespaceID, userKey: Bytes, trailer: Trailer, expiry: Int64, value: Bytes
    ) {
        assert(userKey.count <= FormatLimits.keyBytes && trailer.kind.isKnown)
        let entry = StoredEntry.write(in: arena, namespace, userKey, trailer, expiry, value)
        tree.insert(entry, in: arena)
        counters.count(namespace, trailer, rawBytes: EncodedKey.namespaceWidth &+ userKey.count &+ value.count)
    }

    /// Adds the operations of a batch; operation *i* gets sequence `base` + *i*. The rules of
    /// ``insert(namespace:userKey:trailer:expiry:value:)`` apply.
    package func insert(_ batch: BatchOperations, from base: SequenceNumber) {
        var sequence = base
        var rest = batch.count
        var next = batch.makeIterator()
        while rest > 0 {
            let group = min(rest, LookAhead.width)
            if group > 1, arena.allocatedBytes > Memtable.lookAheadBytes {
                var ahead = next
                for index in 0..<group {
                    if let operation = ahead.next() { lookAhead.set(index, operation, tree) }
                }
                lookAhead.walk(tree, group)
            }
            for _ in 0..<group {
                if PlantedBug.isActive(.applyBatchInPart), sequence == base + 1 { return }
                guard let operation = next.next() else { return }
                insert(
                    namespace: operation.namespace, userKey: operation.userKey,
                    trailer: Trailer(sequence, operation.kind), expiry: operation.expiry, value: operation.value)
                sequence &+= 1
            }
            rest &-= group
        }
    }

    /// Adds operations in their order, at most ``LookAhead/width`` of them.
    func insert(_ operations: UnsafeBufferPointer<SingleOperation>) {
        if operations.count > 1, arena.allocatedBytes > Memtable.lookAheadBytes {
            for index in 0..<operations.count { unsafe lookAhead.set(index, operations[index].operation, tree) }
            lookAhead.walk(tree, operations.count)
        }
        for index in 0..<operations.count { unsafe operations[index].apply(to: self) }
    }

    /// Smaller trees are in the processor's cache anyway.
    private static var lookAheadBytes: Int { 1 << 20 }

    /// Whether a batch with so many bytes of user keys and values, in so many operations, may be inserted. A yes holds
    /// until the next insert: see ``Arena`` for the argument.
    package func hasRoom(bytes: Int, operations: Int) -> Bool {
        arena.hasRoom(bytes: bytes, operations: operations)
    }

    // MARK: - Reading

    /// The newest version of an encoded key with a sequence ≤ `limit`. Neither allocates nor counts references.
    package func get(_ key: Bytes, through limit: SequenceNumber) -> FoundEntry? {
        let reference = tree.find(key)
        guard !reference.isNone else { return nil }
        let newest = tree.entry(reference)
        if newest.trailer.sequence <= limit { return newest.found }
        return unsafe VersionChain(base: tree.base).find(from: reference.offset, through: limit)?.found
    }

    /// The sequence of the newest version of an encoded key: what conflict checks ask.
    package func newestSequence(of key: Bytes) -> SequenceNumber? {
        let reference = tree.find(key)
        return reference.isNone ? nil : tree.entry(reference).trailer.sequence
    }

    /// A cursor over all versions. It keeps this memtable alive.
    ///
    /// - Parameter headOffset: how many leading bytes all keys of the merge share.
    package func makeCursor(headOffset: Int) -> EntryCursor {
        EntryCursor(MemtableSource(self), headOffset: headOffset)
    }

    /// The smallest encoded key; `nil` while empty. O(depth).
    package var smallestKey: Bytes? { tree.smallest?.key }

    /// The largest encoded key; `nil` while empty. O(depth).
    package var largestKey: Bytes? { tree.largest?.key }

    /// A key that has about as many entries before it as behind, if keys are spread evenly below the first byte in which
    /// they differ; `nil` where none do: fewer than two keys, or each the beginning of the next. O(depth).
    package var middleKey: Bytes? { tree.middle?.key }

    // MARK: - Statistics, for any thread

    /// Versions, deletes included.
    package var entryCount: Int { counters.entryCount.load(ordering: .relaxed) }

    /// Arena memory in use.
    package var allocatedBytes: Int { arena.allocatedBytes }

    /// The sequence inserted first; 0 while empty.
    package var firstSequence: SequenceNumber { counters.firstSequence.load(ordering: .relaxed) }

    /// The sequence inserted last; 0 while empty.
    package var lastSequence: SequenceNumber { counters.lastSequence.load(ordering: .relaxed) }

    package func summary(of namespace: NamespaceID) -> MemtableSummary { counters.summary(of: namespace) }

    /// Of the namespaces that have entries here.
    package func summaries() -> [NamespaceID: MemtableSummary] { counters.summaries() }
}
