package import ShaleBase
import Synchronization

/// The in-memory sorted buffer of entries: an adaptive radix tree in an arena.
///
/// **One writer**: ``insert(namespace:userKey:trailer:expiry:value:)`` is called by one thread at a time, with
/// ascending sequences per key. The caller orders successive writers (a lock, a hand-over).
///
/// **Any number of readers** at any time, without locks. A read sees every insert that happened before it began. Of a
/// concurrent insert it sees everything or nothing.
///
/// Results of reads point into the arena and are valid while this object exists. The arena returns to its pool with the
/// last reference.
@safe
package final class Memtable: @unchecked Sendable {
    let tree: RadixTree
    private let arena: Arena
    private let counters = MemtableCounters()
    private let lookAhead = LookAhead()
    /// Keeps alive what entries refer to, as long as this memtable: a value file. Set before the first such entry is
    /// inserted, by the one writer.
    package var companion: (any Sendable & AnyObject)?

    /// Creates an empty memtable.
    ///
    /// - Parameter arena: Empty and unused. An arena of an ``ArenaPool`` is returned there at the end.
    package init(arena: Arena) {
        self.arena = arena
        unsafe tree = RadixTree(base: arena.start)
    }

    deinit {
        lookAhead.free()
        arena.returnToPool()
    }

    // MARK: - Writing

    /// Adds one version. The caller has checked ``hasRoom(bytes:operations:)`` for the whole batch.
    ///
    /// - Parameters:
    ///   - userKey: At most 16 384 bytes.
    ///   - trailer: A known kind, and a sequence above all of this key in the memtable.
    ///   - expiry: Ignored unless the kind has an expiry.
    /// - Complexity: O(key length), independent of the number of entries.
    package func insert(
        namespace: NamespaceID, userKey: Bytes, trailer: Trailer, expiry: Int64, value: Bytes
    ) {
        assert(userKey.count <= FormatLimits.keyBytes && trailer.kind.isKnown)
        let entry = StoredEntry.write(in: arena, namespace, userKey, trailer, expiry, value)
        // Before the entry is published: a reader that has met it also finds it counted.
        counters.count(namespace, trailer, rawBytes: EncodedKey.namespaceWidth &+ userKey.count &+ value.count)
        tree.insert(entry, in: arena)
    }

    /// Adds the operations of a batch; operation *i* gets sequence `base` + *i*. The rules of
    /// ``insert(namespace:userKey:trailer:expiry:value:)`` apply.
    package func insert(_ batch: BatchOperations, from base: SequenceNumber) {
        var sequence = base
        var rest = batch.count
        var next = batch.makeIterator()
        while rest > 0 {
            let group = min(rest, LookAhead.width)
            if group > 1, arena.allocatedBytes > LookAhead.usefulBytes {
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
        if operations.count > 1, arena.allocatedBytes > LookAhead.usefulBytes {
            for index in 0..<operations.count { unsafe lookAhead.set(index, operations[index].operation, tree) }
            lookAhead.walk(tree, operations.count)
        }
        for index in 0..<operations.count { unsafe operations[index].apply(to: self) }
    }

    /// True if a batch with `bytes` bytes of user keys and values, in `operations` operations, may be inserted. A
    /// positive answer holds until the next insert. ``Arena`` has the argument.
    package func hasRoom(bytes: Int, operations: Int) -> Bool {
        arena.hasRoom(bytes: bytes, operations: operations)
    }

    // MARK: - Reading

    /// Returns the newest version of an encoded key with a sequence ≤ `limit`. Neither allocates nor counts references.
    package func get(_ key: Bytes, through limit: SequenceNumber) -> FoundEntry? {
        let reference = tree.find(key)
        guard !reference.isNone else { return nil }
        let newest = tree.entry(reference)
        if newest.trailer.sequence <= limit { return newest.found }
        return unsafe VersionChain(base: tree.base).find(from: reference.offset, through: limit)?.found
    }

    /// Returns the sequence of the newest version of an encoded key, for conflict checks.
    package func newestSequence(of key: Bytes) -> SequenceNumber? {
        let reference = tree.find(key)
        return reference.isNone ? nil : tree.entry(reference).trailer.sequence
    }

    /// Returns a cursor over all versions. It keeps this memtable alive.
    ///
    /// - Parameter headOffset: The number of leading bytes that all keys of the merge share.
    package func makeCursor(headOffset: Int) -> EntryCursor {
        EntryCursor(MemtableSource(self), headOffset: headOffset)
    }

    /// The smallest encoded key; `nil` if the memtable is empty. O(depth).
    package var smallestKey: Bytes? { tree.smallest?.key }

    /// The largest encoded key; `nil` if the memtable is empty. O(depth).
    package var largestKey: Bytes? { tree.largest?.key }

    /// A key with about as many entries before it as after, if keys are spread evenly below the first byte in which
    /// they differ. O(depth).
    ///
    /// `nil` if no two keys differ in a byte: there are fewer than two keys, or each is a prefix of the next.
    package var middleKey: Bytes? { tree.middle?.key }

    // MARK: - Statistics, for any thread

    /// The number of versions, including deletes.
    package var entryCount: Int { counters.entryCount.load(ordering: .relaxed) }

    /// The arena memory in use.
    package var allocatedBytes: Int { arena.allocatedBytes }

    /// The sequence inserted first; 0 if the memtable is empty.
    package var firstSequence: SequenceNumber { counters.firstSequence.load(ordering: .relaxed) }

    /// The sequence inserted last; 0 if the memtable is empty.
    package var lastSequence: SequenceNumber { counters.lastSequence.load(ordering: .relaxed) }

    package func summary(of namespace: NamespaceID) -> MemtableSummary { counters.summary(of: namespace) }

    /// The sequence inserted last into a namespace; 0 if there is none. A thread that has met an entry, or knows that
    /// it became visible, gets at least the entry's sequence.
    package func lastSequence(of namespace: NamespaceID) -> SequenceNumber { counters.lastSequence(of: namespace) }

    /// Returns the summaries of all namespaces that have entries here.
    package func summaries() -> [NamespaceID: MemtableSummary] { counters.summaries() }
}
