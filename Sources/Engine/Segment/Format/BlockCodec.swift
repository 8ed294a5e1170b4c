/// A writer's compression of blocks.
package enum BlockCodec: Sendable, Equatable {
    case none
    case lz4
    /// A zstd level; negative levels are the fast ones.
    case zstd(level: Int32)
}
