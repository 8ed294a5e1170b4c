package import ShaleBase

/// A zstd dictionary for the blocks of one namespace: text that they have in common, and entropy tables for the rest.
///
/// Immutable.
package final class BlockDictionary: Sendable, Equatable {
    private let content: OwnedBytes
    /// A hash of the content, equal for equal content.
    package let identifier: UInt64
    /// The share that the dictionary saved of the test samples when it was trained, in thousandths of their stored size
    /// without it.
    package let savedShare: UInt32

    init(_ content: OwnedBytes, savedShare: UInt32) {
        self.content = content
        self.savedShare = savedShare
        identifier = XXH3.hash(content.bytes)
    }

    /// The dictionary in zstd's format, valid as long as this object lives.
    package var bytes: Bytes { content.bytes }

    package static func == (a: BlockDictionary, b: BlockDictionary) -> Bool { a.identifier == b.identifier }
}
