/// What the index says of one block.
package struct IndexRow: Equatable, Sendable {
    package var handle: BlockHandle
    package var codec: StoredCodec
    package var statistics: BlockStatistics
    /// The block's last key has more versions, and they are at the start of the next block.
    package var continues: Bool
}
