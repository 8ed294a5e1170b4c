import ShaleInspection

/// The block cache of the process that has a store open. A read-only process has its own cache and publishes no
/// figures.
struct CacheFigures: Encodable {
    let capacityBytes: UInt64
    let bytes: UInt64
    let hits: UInt64
    let misses: UInt64
    /// The fraction of lookups that hit; `nil` without lookups.
    let hitRate: Double?

    enum CodingKeys: String, CodingKey, CaseIterable { case capacityBytes, bytes, hits, misses, hitRate }

    init(_ running: RunningStatistics) {
        capacityBytes = running.cacheCapacityBytes
        bytes = running.cacheBytes
        hits = running.cacheHits
        misses = running.cacheMisses
        hitRate = running.cacheHitRate().map(OwnerFigures.rounded)
    }

    /// The text if no figures are published. A store may have been open for less than 1 s, or may not publish
    /// statistics.
    static let none: Shown = "cache: no running store publishes its statistics"

    var text: Shown {
        "cache \(Figures.bytes(bytes)) of \(Figures.bytes(capacityBytes))"
            + (hitRate.map { "; \(Figures.decimal($0 * 100)) % of \(Figures.count(hits + misses)) lookups hit" } ?? "")
    }
}
