package import ShaleSegment

extension StoredCodec {
    /// True if a stored block may stay as it is if new blocks get `target`. Does not distinguish levels and
    /// dictionaries of zstd. Blocks that did not compress well are stored plain with any target.
    package func isAcceptable(for target: BlockCodec) -> Bool {
        switch (self, target) {
        case (.none, _), (.lz4, .lz4), (.zstd, .zstd), (.zstdDictionary, .zstd): true
        default: false
        }
    }
}
