/// How a writer compresses its blocks.
package enum BlockCodec: Sendable, Equatable {
    case none
    case lz4
    /// Levels as zstd counts them; negative ones are the fast ones.
    case zstd(level: Int32)
}
