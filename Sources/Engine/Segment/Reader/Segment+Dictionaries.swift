package import ShaleBase

extension Segment {
    /// Returns the dictionary for decompressing a block with this codec; `nil` if it needs none.
    func dictionary(forBlock block: Int, _ codec: StoredCodec) throws(StorageError) -> DigestedDictionary? {
        guard codec == .zstdDictionary else { return nil }
        return try dictionary(forBlock: block, in: dictionaries)
    }

    /// Returns the dictionary for a block from `dictionaries`, which were found without opening the segment.
    func dictionary(
        forBlock block: Int, in dictionaries: SegmentDictionaries?
    ) throws(StorageError) -> DigestedDictionary? {
        try dictionaries?.digested(forBlock: block) { (record) throws(StorageError) in
            let raw = try readDictionary(record)
            do throws(ParseFailure) {
                return try DigestedDictionary(raw.bytes)
            } catch {
                throw file.corruption(error.reason, at: record.handle.offset)
            }
        }
    }

    /// Returns the identifier of the dictionary that a block needs; `nil` if it needs none.
    package func dictionaryIdentifier(forBlock block: Int) throws(StorageError) -> UInt64? {
        try dictionary(forBlock: block, try index().codec(block))?.identifier
    }

    /// Returns the dictionary of a namespace's slice for further writes. Reads and verifies it again.
    package func blockDictionary(of namespace: NamespaceID) throws(StorageError) -> BlockDictionary? {
        try open()
        guard let record = dictionaries?.record(of: namespace) else { return nil }
        return BlockDictionary(try readDictionary(record), savedShare: record.savedShare)
    }

    private func readDictionary(_ record: DictionaryRecord) throws(StorageError) -> OwnedBytes {
        let scratch = environment.scratch.take()
        defer { environment.scratch.put(scratch) }
        return try SegmentLoader(file: file, scratch: scratch).block(record.handle, .dictionary)
    }
}
