package import ShaleSegment

extension StoredCodec {
    /// Whether a stored block may stay as it is where new blocks get `target`. Levels and dictionaries of zstd are not told apart, and blocks
    /// that did not compress well enough are stored plain whatever the target.
    package func isAcceptable(for target: BlockCodec) -> Bool {
        switch (self, target) {
        case (.none, _), (.lz4, .lz4), (.zstd, .zstd), (.zstdDictionary, .zstd): true
        default: false
        }
    }
}
