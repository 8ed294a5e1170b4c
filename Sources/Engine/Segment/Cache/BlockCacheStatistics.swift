/// Counts since the cache was made.
package struct BlockCacheStatistics: Equatable, Sendable {
    /// Lookups that found their block in memory. Slightly inexact if threads count at the same time.
    package var hitCount = 0
    /// Blocks that were read from a file because they were not in memory.
    package var missCount = 0
    package var insertedCount = 0
    package var insertedBytes = 0
    package var evictedCount = 0
    package var evictedBytes = 0
    /// The number of blocks now in the cache.
    package var blockCount = 0
    package var bytes = 0
    package var capacityBytes = 0
    /// Memory taken from the system for cached blocks, for evicted blocks that are not yet freed, and for gaps between
    /// blocks.
    package var reservedBytes = 0
}
