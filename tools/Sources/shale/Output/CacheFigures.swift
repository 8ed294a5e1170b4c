import ShaleInspection

/// The cache of blocks of the process that has a store open. One that only reads has its own, which tells nothing.
struct CacheFigures: Encodable {
    let capacityBytes: UInt64
    let bytes: UInt64
    let hits: UInt64
    let misses: UInt64
    /// `nil` without lookups.
    let hitRate: Double?

    enum CodingKeys: String, CodingKey, CaseIterable { case capacityBytes, bytes, hits, misses, hitRate }

    init(_ running: RunningStatistics) {
        capacityBytes = running.cacheCapacityBytes
        bytes = running.cacheBytes
        hits = running.cacheHits
        misses = running.cacheMisses
        hitRate = running.cacheHitRate().map(OwnerFigures.rounded)
    }

    /// There may be one that has been open for less than a second, or was told to say nothing.
    static let none: Shown = "cache: no running store tells of it"

    var text: Shown {
        "cache \(Figures.bytes(bytes)) of \(Figures.bytes(capacityBytes))"
            + (hitRate.map { "; \(Figures.decimal($0 * 100)) % of \(Figures.count(hits + misses)) lookups hit" } ?? "")
    }
}
