package import ShaleBase

extension Segment {
    /// Returns true if a key with an entry in `blocks` has more than one version. Reads the index only.
    package func hasVersions(inBlocks blocks: Range<Int>) throws(StorageError) -> Bool {
        try index().hasVersions(inBlocks: blocks)
    }

    /// Returns true if `block` begins with further versions of the previous block's last key.
    package func beginsWithinKey(_ block: Int) throws(StorageError) -> Bool {
        let index = try index()
        return block > 0 && index.continues(block - 1)
    }
}
