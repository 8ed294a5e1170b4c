/// The index's data about one block.
package struct IndexRow: Equatable, Sendable {
    package var handle: BlockHandle
    package var codec: StoredCodec
    package var statistics: BlockStatistics
    /// True if further versions of the block's last key are at the start of the next block.
    package var continues: Bool
}
