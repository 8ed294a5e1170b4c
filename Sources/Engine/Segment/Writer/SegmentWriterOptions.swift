package import ShaleBase

/// How a segment is written.
package struct SegmentWriterOptions: Sendable, Equatable {
    /// Raw size at which a data block is cut.
    package var blockBytes: Int
    package var codec: BlockCodec
    /// 0 = no filter.
    package var filterBitsPerKey: Int
    /// With which blocks of these namespaces are compressed, if the codec is zstd.
    package var dictionaries: [NamespaceID: BlockDictionary] = [:]
    /// Whether `dictionaries` are all that are worth it: see ``CompressionRecord``.
    package var soughtDictionaries = false
    /// Who compresses blocks beside the writer's thread; nil for nobody.
    package var helpers: CompressionHelpers?

    package init(blockBytes: Int = 16 << 10, codec: BlockCodec = .lz4, filterBitsPerKey: Int = 10) {
        self.blockBytes = blockBytes
        self.codec = codec
        self.filterBitsPerKey = filterBitsPerKey
    }
}
