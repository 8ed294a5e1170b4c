/// How a cursor reads blocks that are not in the cache.
package struct ScanOptions: Sendable, Equatable {
    /// Blocks that had to be read enter the cache. Without effect when reading ahead.
    package var fillCache: Bool
    /// 0, or the size of the pieces that are read from the file at once. Blocks are then decoded into the cursor's own
    /// memory, past the cache.
    package var readAheadBytes: Int
    /// With read-ahead: so many blocks after a seek are read one by one and enter the cache, as those of lookups do. Only
    /// then the scan counts as a long one.
    package var cachedBlocks: Int
    /// Pieces start at one block and grow; otherwise the first one is full-size already.
    package var startsSmall: Bool

    package init(fillCache: Bool = true, readAheadBytes: Int = 0, cachedBlocks: Int = 0, startsSmall: Bool = true) {
        self.fillCache = fillCache
        self.readAheadBytes = readAheadBytes
        self.cachedBlocks = cachedBlocks
        self.startsSmall = startsSmall
    }

    /// For compactions: large pieces from the start, nothing cached.
    package static let compaction = ScanOptions(fillCache: false, readAheadBytes: 1 << 20, startsSmall: false)
}
