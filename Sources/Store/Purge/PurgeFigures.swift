import ShaleBase

/// The statistics of the purgeable entries of some namespaces. They count stored versions, so they are exact only while
/// nothing is written.
struct PurgeFigures {
    var entries: UInt64 = 0
    var rawBytes: UInt64 = 0
    /// The estimated bytes of segments that these entries take.
    var storedBytes: Double = 0

    mutating func add(_ part: NamespaceStatistics) {
        entries += part.purgeable
        rawBytes += part.purgeableRawBytes
        if part.rawBytes > 0 {
            storedBytes += Double(part.storedBytes) * Double(part.purgeableRawBytes) / Double(part.rawBytes)
        }
    }

    /// Returns a report of what has been removed since `earlier`.
    func report(since earlier: PurgeFigures, returnedBytes: Int64) -> PurgeReport {
        PurgeReport(
            entries: earlier.entries - min(entries, earlier.entries),
            logicalBytes: earlier.rawBytes - min(rawBytes, earlier.rawBytes), returnedBytes: returnedBytes,
            isEstimate: false)
    }
}

extension StoreCore {
    /// The bytes of disk that the store takes now, as `du` counts them. The difference of two values is what a purge
    /// has freed.
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
                // A namespace dropped meanwhile has nothing left to purge.
                guard error.code == .namespaceDropped else { throw error }
            }
        }
        return figures
    }
}
