package import ShaleBase

/// A zstd dictionary for the blocks of one namespace: text that they have in common, and tables to code the rest with.
/// Immutable.
package final class BlockDictionary: Sendable, Equatable {
    private let content: OwnedBytes
    /// Equal for equal content.
    package let identifier: UInt64
    /// What it saved of the samples that it was judged by when it was trained, in thousandths of what they took without.
    package let savedShare: UInt32

    init(_ content: OwnedBytes, savedShare: UInt32) {
        self.content = content
        self.savedShare = savedShare
        identifier = XXH3.hash(content.bytes)
    }

    /// In zstd's form. Valid as long as this object lives.
    package var bytes: Bytes { content.bytes }

    package static func == (a: BlockDictionary, b: BlockDictionary) -> Bool { a.identifier == b.identifier }
}
