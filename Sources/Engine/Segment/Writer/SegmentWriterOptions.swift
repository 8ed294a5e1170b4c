package import ShaleBase

/// Options for writing a segment.
package struct SegmentWriterOptions: Sendable, Equatable {
    /// The raw size in bytes at which a data block is cut.
    package var blockBytes: Int
    package var codec: BlockCodec
    /// The filter's bits per key; 0 for no filter.
    package var filterBitsPerKey: Int
    /// The dictionaries for blocks of these namespaces, if the codec is zstd.
    package var dictionaries: [NamespaceID: BlockDictionary] = [:]
    /// True if no other dictionary would be worthwhile: see ``CompressionRecord``.
    package var soughtDictionaries = false
    /// Threads that compress blocks besides the writer's; `nil` for none.
    package var helpers: CompressionHelpers?

    package init(blockBytes: Int = 16 << 10, codec: BlockCodec = .lz4, filterBitsPerKey: Int = 10) {
        self.blockBytes = blockBytes
        self.codec = codec
        self.filterBitsPerKey = filterBitsPerKey
    }
}
