/// Counts since the cache was made.
package struct BlockCacheStatistics: Equatable, Sendable {
    /// Lookups that found their block in memory. Approximate by a little under concurrency.
    package var hitCount = 0
    /// Blocks that were read from a file because they were not in memory.
    package var missCount = 0
    package var insertedCount = 0
    package var insertedBytes = 0
    package var evictedCount = 0
    package var evictedBytes = 0
    /// Now in the cache.
    package var blockCount = 0
    package var bytes = 0
    package var capacityBytes = 0
    /// Memory taken from the system for them, for blocks on their way out, and for what lies between.
    package var reservedBytes = 0
}
