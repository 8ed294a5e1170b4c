/// The part of an index row that reading the block needs.
///
/// A row has a column each for many counts, and each column is a cache miss of its own. A lookup needs these alone.
struct BlockPlace {
    let handle: BlockHandle
    let codec: StoredCodec
    let entryCount: Int
    /// The length of the key part without its trailer; 0 if the block is not split.
    let keyPartLength: Int

    var isSplit: Bool { keyPartLength > 0 }

    /// The length of a split block's key part with its trailer, with which the block begins.
    var keyPartBytes: Int { keyPartLength + SegmentFormat.blockTrailerBytes }

    /// The total length of a split block's pages.
    var pagesLength: Int { Int(handle.storedLength) - keyPartLength }

    var rawLength: Int { Int(handle.rawLength) }

    /// The memory of the loaded block in bytes.
    var memoryBytes: Int { DataBlock.bytesNeeded(count: entryCount, rawLength: rawLength) }
}

extension IndexRow {
    var place: BlockPlace {
        BlockPlace(
            handle: handle, codec: codec, entryCount: Int(statistics.entryCount), keyPartLength: Int(keyPartLength))
    }
}

extension SegmentIndex {
    func place(_ index: Int) -> BlockPlace {
        BlockPlace(
            handle: handle(index), codec: codec(index), entryCount: Int(entryCount(index)),
            keyPartLength: Int(keyPartLength(index)))
    }
}
