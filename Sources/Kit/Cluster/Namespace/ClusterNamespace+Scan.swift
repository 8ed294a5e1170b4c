public import ShaleBase

/// The entries in a range of a namespace on a cluster, in bytewise order of their keys. Can be used many times.
///
/// A walk merges the shards of the range: it holds a page of each, of 1 to 256 entries and about 1 MiB, or one entry if
/// that is larger. Each page has a moment of its own: an entry that is written during a walk is seen or not, and one
/// that is there all the time is seen once. A range that starts with a whole partition reads one shard.
public struct ClusterEntries: AsyncSequence, Sendable {
    public typealias Element = AsyncEntry
    public typealias Failure = StorageError

    let reader: ClusterReader
    /// The range, or the error of a bound that could not be read.
    let range: Result<KeyRange, StorageError>

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(walk: ClusterWalk(reader, range))
    }

    /// Returns at most `limit` entries from the start of the range. Throws the errors of a walk.
    ///
    /// To continue behind them, scan the range above the last key.
    public nonisolated(nonsending) func array(limit: Int = .max) async throws(StorageError) -> [AsyncEntry] {
        let walk = ClusterWalk(reader, range)
        var entries: [AsyncEntry] = []
        while entries.count < limit {
            if let entry = try walk.nextAtOnce() {
                entries.append(entry)
            } else {
                guard let entry = try await walk.next() else { break }
                entries.append(entry)
            }
        }
        return entries
    }

    /// The position of one walk. Used by one task at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let walk: ClusterWalk

        /// Returns the next entry; `nil` at the end. Throws the errors of ``ClusterNamespace/entry(forKey:)`` and the
        /// error of a bound that is no valid key.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async throws(StorageError) -> AsyncEntry? {
            try await walk.next()
        }
    }
}

extension ClusterNamespace {
    /// Returns the shards that may hold keys of a range.
    func shards(of range: KeyRange) -> [Int] {
        if case .included(let key) = range.lower, KeyRange.prefix(key) == range,
            let shard = record.partitioning.shard(ofPrefix: key, count: record.shards)
        {
            return [shard]
        }
        return Array(0..<record.shards)
    }
}
