package import ShaleBase

extension SegmentWriter {
    /// Writes filter, index, directory, properties and footer, makes the file's content durable, and closes the file.
    ///
    /// At least one entry must have been added. The name becomes durable with the caller's sync of the directory.
    package func finish(createdMilliseconds: Int64) throws(StorageError) -> SegmentMetadata {
        try finishBlock(next: nil, continues: false)
        try collectBlocks()
        let largestKey = try lastKey()
        guard let smallestKey else { throw .invalid("a segment without entries can't be finished") }
        var footer = SegmentFooter(index: .absent, filter: .absent, directory: .absent, properties: .absent)
        let dictionaries = appendDictionaries()
        let valueCodes = appendValueCodes()
        if !dictionaries.isEmpty { footer.features.insert(.dictionaries) }
        if !valueCodes.isEmpty { footer.features.insert(.valueCodes) }
        if codeUsers.contains(where: { options.valueCodes[$0]?.code.isPlain == true }) {
            footer.features.insert(.plainCodes)
        }
        if index.isSplit { footer.features.insert(.splitBlocks) }
        if !values.isEmpty { footer.features.insert(.valueReferences) }
        raw.removeAll()
        if let adopted = adoptedFilter.flatMap(\.rawFilter) {
            footer.filter = append(adopted, .filter, compressed: false)
        } else if collector.filter.bitsPerKey > 0 {
            collector.filter.encode(to: &raw)
            footer.filter = append(raw.bytes, .filter, compressed: false)
        }
        raw.removeAll()
        index.encode(to: &raw)
        footer.index = append(raw.bytes, .index, compressed: true)
        raw.removeAll()
        SliceDirectory.encode(slices, into: &raw)
        footer.directory = append(raw.bytes, .directory, compressed: true)
        raw.removeAll()
        let metadata = { [number, slices, values, features = footer.features] (fileBytes: UInt64) in
            SegmentMetadata(
                number: number, fileBytes: fileBytes, createdMilliseconds: createdMilliseconds,
                smallestKey: smallestKey, largestKey: largestKey, slices: slices,
                features: features, values: values)
        }
        let sums = metadata(0)
        SegmentProperties(
            createdMilliseconds: createdMilliseconds, writerVersion: SegmentProperties.writerVersion,
            smallestKey: smallestKey, largestKey: largestKey, entryCount: sums.entryCount, dataBytes: sums.dataBytes,
            dictionaries: dictionaries, valueCodes: valueCodes, compression: compressionRecord, values: values
        ).encode(to: &raw)
        footer.properties = append(raw.bytes, .properties, compressed: false)
        footer.encode(to: &output.buffer, file: number, offset: output.offset)
        let fileBytes = output.offset
        try output.finish()
        return metadata(fileBytes)
    }

    private var compressionRecord: CompressionRecord? {
        guard hasOneCompression else { return nil }
        return CompressionRecord(
            codec: options.codec, soughtDictionaries: options.soughtDictionaries, hasVersions: hasVersions,
            splitsBlocks: options.splitsBlocks)
    }

    /// Appends copies of the dictionaries that the blocks need, so that every segment is self-contained.
    private func appendDictionaries() -> [SliceCoderRecord] {
        dictionaryUsers.compactMap { namespace in
            options.dictionaries[namespace].map { dictionary in
                SliceCoderRecord(
                    namespace: namespace, savedShare: dictionary.savedShare,
                    handle: append(dictionary.bytes, .dictionary, compressed: true))
            }
        }
    }

    /// Appends copies of the value codes that the blocks need.
    private func appendValueCodes() -> [SliceCoderRecord] {
        codeUsers.compactMap { namespace in
            options.valueCodes[namespace].map { slice in
                raw.removeAll()
                slice.code.encode(to: &raw)
                return SliceCoderRecord(
                    namespace: namespace, savedShare: slice.savedShare,
                    handle: append(raw.bytes, .valueCode, compressed: true))
            }
        }
    }

    private func append(_ raw: Bytes, _ type: BlockType, compressed: Bool) -> BlockHandle {
        let offset = output.offset
        let start = output.buffer.count
        var codec = StoredCodec.none
        if compressed {
            codec = encoder.compressor.append(raw, to: &output.buffer)
        } else {
            output.buffer.append(raw)
        }
        let storedLength = output.buffer.count - start
        StoredBlock.seal(
            &output.buffer, storedLength: storedLength, codec: codec, type: type, file: number, offset: offset)
        return BlockHandle(offset: offset, storedLength: UInt32(storedLength), rawLength: UInt32(raw.count))
    }

    /// Returns the last key of the segment and makes it the last block's separator.
    private func lastKey() throws(StorageError) -> [UInt8] {
        guard let lastStored else { return collector.lastFinishedKey.array() }
        let key = try lastStored.segment.lastKey(ofBlock: lastStored.index)
        unsafe key.withUnsafeBytes { index.replaceLastSeparator(unsafe Bytes($0)) }
        return key
    }
}
