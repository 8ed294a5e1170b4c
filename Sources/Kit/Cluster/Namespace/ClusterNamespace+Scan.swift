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
        while entries.count < limit, let entry = try await walk.next() { entries.append(entry) }
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

/// A walk over the shards of a range: a merge of one run of entries for each. Used by one task at a time.
final class ClusterWalk {
    private let reader: ClusterReader
    private let range: Result<KeyRange, StorageError>
    private var runs: [ShardRun] = []
    /// The indexes of runs that have an entry, as a binary heap by their keys: the smallest is first.
    private var heap: [Int] = []
    /// True if the first run of the heap has no entry left of the pages that were read, and pages follow.
    private var needsPage = false
    private var hasBegun = false

    init(_ reader: ClusterReader, _ range: Result<KeyRange, StorageError>) {
        self.reader = reader
        self.range = range
    }

    /// Returns the next entry; `nil` at the end. After an error, the next call tries the failed read again.
    nonisolated(nonsending) func next() async throws(StorageError) -> AsyncEntry? {
        if !hasBegun { try await begin() }
        while true {
            if needsPage, let first = heap.first {
                runs[first] = try await reader.filled(runs[first])
                needsPage = false
                settleFirst()
            }
            guard let found = takeFound() else { return nil }
            if let entry = try reader.deliveredAtOnce(found) { return entry }
            // An entry that was removed since its page was read, with the object of its value, is left out.
            if let entry = try await reader.delivered(found) { return entry }
        }
    }

    private func takeFound() -> FoundEntry? {
        guard let first = heap.first, let entry = runs[first].entries.popLast() else { return nil }
        needsPage = runs[first].entries.isEmpty && !runs[first].isAtEnd
        if !needsPage { settleFirst() }
        return entry
    }

    /// Restores the order of the heap after the first run has lost or got entries.
    private func settleFirst() {
        if let first = heap.first, runs[first].entries.isEmpty {
            let last = heap.removeLast()
            if !heap.isEmpty { heap[0] = last }
        }
        sink(0)
    }

    private nonisolated(nonsending) func begin() async throws(StorageError) {
        let range = try range.get()
        let shards = reader.namespace.shards(of: range)
        let limit = max(1, min(ClusterLimits.entriesInPage, 2 * ClusterLimits.entriesInPage / shards.count))
        let reader = reader
        runs = try await concurrently(0..<shards.count) { (index) throws(StorageError) -> ShardRun in
            try await reader.filled(ShardRun(shard: shards[index], range: range, limit: limit))
        }
        heap = runs.indices.filter { !runs[$0].entries.isEmpty }
        for index in heap.indices.reversed() { sink(index) }
        hasBegun = true
    }

    /// Moves the run at a place of the heap below all runs with smaller keys.
    private func sink(_ start: Int) {
        var place = start
        while true {
            var smallest = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count && precedes(child, smallest) {
                smallest = child
            }
            guard smallest != place else { return }
            heap.swapAt(place, smallest)
            place = smallest
        }
    }

    private func precedes(_ one: Int, _ other: Int) -> Bool {
        guard let a = runs[heap[one]].entries.last, let b = runs[heap[other]].entries.last else { return false }
        return a.key.lexicographicallyPrecedes(b.key)
    }
}

/// The entries of one shard in a range, from a position on.
struct ShardRun: Sendable {
    let shard: Int
    let prefix: [UInt8]
    let upper: KeyRange.Bound
    /// The name behind which the next page begins.
    var position: [UInt8]
    /// The entries of the current page that are left, the first one last.
    var entries: [FoundEntry] = []
    var isAtEnd = false
    /// The number of entries to ask for.
    var limit: Int

    init(shard: Int, range: KeyRange, limit: Int) {
        self.shard = shard
        self.limit = limit
        upper = range.upper
        switch range.lower {
        case .unbounded: (position, prefix) = (EntryName.prefix, EntryName.prefix)
        case .included(let key):
            position = EntryName.start(of: key)
            prefix = KeyRange.prefix(key) == range ? position : EntryName.prefix
        case .excluded(let key): (position, prefix) = (EntryName.name(of: key), EntryName.prefix)
        }
    }

    /// True if a key lies above the range.
    func isAbove(_ key: [UInt8]) -> Bool {
        switch upper {
        case .unbounded: false
        case .included(let bound): bound.lexicographicallyPrecedes(key)
        case .excluded(let bound): !key.lexicographicallyPrecedes(bound)
        }
    }

    /// Adapts the number of entries to ask for: pages grow while a walk continues, and shrink if values are large.
    mutating func adapt(toPageOf bytes: Int) {
        let isLarge = bytes > ClusterLimits.bytesInPage
        limit = isLarge ? max(1, limit / 2) : min(ClusterLimits.entriesInPage, limit * 2)
    }
}

extension ClusterNamespace {
    /// Returns the shards that may hold keys of a range.
    fileprivate func shards(of range: KeyRange) -> [Int] {
        if case .included(let key) = range.lower, KeyRange.prefix(key) == range,
            let shard = record.partitioning.shard(ofPrefix: key, count: record.shards)
        {
            return [shard]
        }
        return Array(0..<record.shards)
    }
}

extension ClusterReader {
    /// Returns a run without entries after pages were read, up to one that has a visible entry or to the end.
    fileprivate nonisolated(nonsending) func filled(_ run: ShardRun) async throws(StorageError) -> ShardRun {
        var run = run
        while run.entries.isEmpty, !run.isAtEnd {
            var query = ObjectQuery()
            query.page = ObjectQuery.Page(prefix: run.prefix, after: run.position, limit: run.limit)
            let (header, contents) = try await read(run.shard, query)
            run.isAtEnd = !contents.hasMore
            var byteCount = 0
            run.entries.reserveCapacity(contents.page.count)
            for index in contents.page.indices {
                let key = try EntryName.key(of: contents.page.name(at: index))
                guard !run.isAbove(key) else {
                    run.isAtEnd = true
                    break
                }
                let value = contents.page.value(at: index)
                byteCount += value.count
                if let entry = try visible(value, key, header) { run.entries.append(entry) }
            }
            if let last = contents.page.last { run.position = last.name }
            run.entries.reverse()
            run.adapt(toPageOf: byteCount)
        }
        return run
    }
}
