import ShaleBase

/// What the statistics say of the purgeable entries of some namespaces. A sum of stored versions, so exact only while
/// nobody writes.
struct PurgeFigures {
    var entries: UInt64 = 0
    var rawBytes: UInt64 = 0
    /// The share of the segments' bytes that goes with them.
    var storedBytes: Double = 0

    mutating func add(_ part: NamespaceStatistics) {
        entries += part.purgeable
        rawBytes += part.purgeableRawBytes
        if part.rawBytes > 0 {
            storedBytes += Double(part.storedBytes) * Double(part.purgeableRawBytes) / Double(part.rawBytes)
        }
    }

    /// What has gone since `earlier`.
    func report(since earlier: PurgeFigures, returnedBytes: Int64) -> PurgeReport {
        PurgeReport(
            entries: earlier.entries - min(entries, earlier.entries),
            logicalBytes: earlier.rawBytes - min(rawBytes, earlier.rawBytes), returnedBytes: returnedBytes,
            isEstimate: false)
    }
}

extension StoreCore {
    /// Stored bytes of all segments, without those that flushes have added since the store was opened: a difference of
    /// two is what compaction has given back between them, on whichever thread. What a flush adds to the segments, it
    /// takes from the logs.
    var segmentBytes: Int64 {
        let statistics = engine.statistics
        return statistics.levels.reduce(0) { $0 + Int64($1.storedBytes) } - Int64(statistics.flushedBytes)
    }

    /// O(namespaces of the scope × segments).
    func purgeFigures(_ scope: PurgeScope) throws(StorageError) -> PurgeFigures {
        try requireOpen()
        var figures = PurgeFigures()
        for namespace in try descriptions(in: scope) {
            do throws(StorageError) {
                figures.add(try engine.statistics(of: namespace.id))
            } catch {
                // What has been dropped meanwhile has nothing left to purge.
                guard error.code == .namespaceDropped else { throw error }
            }
        }
        return figures
    }
}
