package import ShaleBase

extension Segment {
    /// True if some key with an entry in `blocks` has more than one version. Reads the index only.
    package func hasVersions(inBlocks blocks: Range<Int>) throws(StorageError) -> Bool {
        try index().hasVersions(inBlocks: blocks)
    }

    /// True if the last key of the block before `block` has further versions at the start of `block`.
    package func beginsWithinKey(_ block: Int) throws(StorageError) -> Bool {
        let index = try index()
        return block > 0 && index.continues(block - 1)
    }
}
