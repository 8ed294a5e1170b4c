/// Options for a cursor's reads of blocks that are not in the cache.
package struct ScanOptions: Sendable, Equatable {
    /// If true, blocks that were read enter the cache. Ignored with read-ahead.
    package var fillCache: Bool
    /// The size in bytes of one read from the file; 0 for no read-ahead.
    ///
    /// With read-ahead, blocks are decoded into the cursor's own memory, past the cache.
    package var readAheadBytes: Int
    /// With read-ahead: the number of blocks after a seek that are read one by one and enter the cache, as in lookups.
    ///
    /// Read-ahead begins after them.
    package var cachedBlocks: Int
    /// If true, reads start at one block and grow; otherwise the first read has full size.
    package var startsSmall: Bool

    package init(fillCache: Bool = true, readAheadBytes: Int = 0, cachedBlocks: Int = 0, startsSmall: Bool = true) {
        self.fillCache = fillCache
        self.readAheadBytes = readAheadBytes
        self.cachedBlocks = cachedBlocks
        self.startsSmall = startsSmall
    }

    /// The options for compactions: large reads from the start, nothing cached.
    package static let compaction = ScanOptions(fillCache: false, readAheadBytes: 1 << 20, startsSmall: false)
}
