import ShaleBase

/// A walk over the shards of a range: a merge of one run of entries for each. Used by one task at a time.
final class ClusterWalk {
    private let reader: ClusterReader
    private let range: Result<KeyRange, StorageError>
    private var runs: [ShardRun] = []
    /// The indexes of runs that have an entry, as a binary heap by their names: the smallest is first.
    private var heap: [Int] = []
    /// True if the entry of the first run of the heap was taken, and the run has not moved on.
    private var isFirstTaken = false
    private var hasBegun = false

    init(_ reader: ClusterReader, _ range: Result<KeyRange, StorageError>) {
        self.reader = reader
        self.range = range
    }

    /// Returns the next entry; `nil` at the end. After an error, the next call tries the failed read again.
    nonisolated(nonsending) func next() async throws(StorageError) -> AsyncEntry? {
        if !hasBegun { try await begin() }
        while true {
            if isFirstTaken, try !moveOnAtOnce(), let first = heap.first {
                runs[first] = try await reader.filled(runs[first])
                settleFirst()
            }
            if let entry = try nextAtOnce() { return entry }
            guard let first = heap.first, let found = try runs[first].found() else { return nil }
            let entry = try await reader.delivered(found)
            isFirstTaken = true
            // An entry that was removed since its page was read, with the object of its value, is left out.
            if let entry { return entry }
        }
    }

    /// Returns the next entry if it was read and has its value in its shard. Otherwise returns `nil`; `next` returns
    /// that entry then.
    func nextAtOnce() throws(StorageError) -> AsyncEntry? {
        guard hasBegun else { return nil }
        if isFirstTaken, try !moveOnAtOnce() { return nil }
        guard let first = heap.first, let entry = try runs[first].shared(reader.namespace.core.codecs) else {
            return nil
        }
        isFirstTaken = true
        return entry
    }

    /// Moves the first run on behind the entry that was taken. Returns false if that needs a page.
    private func moveOnAtOnce() throws(StorageError) -> Bool {
        guard let first = heap.first else { return true }
        guard try reader.moveOn(&runs[first]) || runs[first].isAtEnd else { return false }
        settleFirst()
        return true
    }

    /// Restores the order of the heap after the first run has moved on.
    private func settleFirst() {
        isFirstTaken = false
        if let first = heap.first, runs[first].current == nil {
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
        heap = runs.indices.filter { runs[$0].current != nil }
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
        runs[heap[one]].precedes(runs[heap[other]])
    }
}
