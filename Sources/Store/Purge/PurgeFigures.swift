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
    /// Bytes of the disk that the store takes now, as `du` counts them: a difference of two is what a purge has given back.
    var diskBytes: Int64 {
        get throws(StorageError) { Int64(clamping: try engine.allocatedBytes) }
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
