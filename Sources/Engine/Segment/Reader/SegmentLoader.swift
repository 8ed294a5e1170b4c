import ShaleBase
import ShalePlatform

/// Reads the parts after the data of a segment: footer, properties, directory, index, filter.
struct SegmentLoader {
    let file: SegmentFile
    let scratch: ReadScratch

    /// Reads and verifies the footer of a file of `size` bytes.
    func footer(size: UInt64) throws(StorageError) -> SegmentFooter {
        guard size >= UInt64(SegmentFormat.footerBytes) else {
            throw file.corruption("the file is too short for a segment", at: 0)
        }
        let offset = size - UInt64(SegmentFormat.footerBytes)
        let bytes = OwnedBytes(count: SegmentFormat.footerBytes)
        try file.read(into: bytes.mutable, at: offset)
        do throws(SegmentFooter.Failure) {
            return try SegmentFooter.decode(bytes.bytes, file: file.number, offset: offset)
        } catch {
            switch error {
            case .corrupt(let failure): throw file.corruption(failure.reason, at: offset)
            case .newerFormat(let version):
                throw StorageError(
                    .newerFormat, "a newer version of Shale wrote this segment formatVersion=\(version)",
                    file: file.path, offset: offset)
            }
        }
    }

    /// Returns the raw bytes of a block that is not a data block.
    func block(_ handle: BlockHandle, _ type: BlockType) throws(StorageError) -> OwnedBytes {
        scratch.buffer.removeAll()
        let stored = scratch.buffer.extend(handle.totalBytes)
        try file.read(into: stored, at: handle.offset)
        do {
            let codec = try StoredBlock.verify(stored.bytes, type: type, file: file.number, offset: handle.offset)
            let raw = OwnedBytes(count: Int(handle.rawLength))
            try scratch.decompressor.decompress(
                stored.bytes.slice(0, Int(handle.storedLength)), codec, into: raw.mutable)
            return raw
        } catch {
            throw file.corruption(error.reason, at: handle.offset)
        }
    }

    func properties(_ footer: SegmentFooter) throws(StorageError) -> SegmentProperties {
        let raw = try block(footer.properties, .properties)
        do {
            return try SegmentProperties.decode(raw.bytes)
        } catch {
            switch error {
            case .invalid(let failure): throw file.corruption(failure.reason, at: footer.properties.offset)
            case .newerFormat(let tag):
                throw StorageError(
                    .newerFormat, "a newer version of Shale wrote this segment tag=\(tag)", file: file.path,
                    offset: footer.properties.offset)
            }
        }
    }

    func slices(_ footer: SegmentFooter) throws(StorageError) -> [SliceRecord] {
        let raw = try block(footer.directory, .directory)
        do throws(ParseFailure) {
            var reader = ByteReader(raw.bytes)
            let slices = try SliceDirectory.decode(&reader)
            guard reader.isAtEnd else { throw ParseFailure("the directory is too long") }
            return slices
        } catch {
            throw file.corruption(error.reason, at: footer.directory.offset)
        }
    }

    /// Returns the metadata that the writer returned, read from the file itself.
    func metadata() throws(StorageError) -> SegmentMetadata {
        let size = try file.size()
        let footer = try footer(size: size)
        return try metadata(footer, try properties(footer), size: size)
    }

    func metadata(
        _ footer: SegmentFooter, _ properties: SegmentProperties, size: UInt64
    ) throws(StorageError) -> SegmentMetadata {
        let metadata = SegmentMetadata(
            number: file.number, fileBytes: size, createdMilliseconds: properties.createdMilliseconds,
            smallestKey: properties.smallestKey, largestKey: properties.largestKey, slices: try slices(footer),
            features: footer.features, values: properties.values)
        do {
            try metadata.check()
            try properties.check(footer)
        } catch {
            throw file.corruption(error.reason, at: footer.properties.offset)
        }
        guard metadata.entryCount == properties.entryCount, metadata.dataBytes == properties.dataBytes else {
            throw file.corruption("the properties' counts differ from the directory's", at: footer.properties.offset)
        }
        return metadata
    }

    /// Loads index and filter, and checks them against each other and against the metadata.
    func tables(
        for expected: SegmentMetadata, _ budget: MemoryBudget
    ) throws(StorageError) -> SegmentTableStorage {
        let size = try file.size()
        guard size == expected.fileBytes else {
            throw file.corruption(
                "the file's size differs from the recorded size size=\(size) recorded=\(expected.fileBytes)",
                at: min(size, expected.fileBytes))
        }
        let footer = try footer(size: size)
        let properties = try properties(footer)
        guard try metadata(footer, properties, size: size) == expected else {
            throw file.corruption("the directory differs from the recorded one", at: footer.directory.offset)
        }
        let rawIndex = try block(footer.index, .index)
        let filter = footer.filter.isAbsent ? nil : try block(footer.filter, .filter)
        do throws(ParseFailure) {
            let coders = try SegmentCoders(
                dictionaries: properties.dictionaries, codes: properties.valueCodes, expected.slices, budget)
            let storage = try SegmentTableStorage(
                rawIndex: rawIndex, isSplit: footer.features.contains(.splitBlocks), filter: filter, coders: coders,
                compression: properties.compression)
            try check(storage.index, dataEnd: properties.blocksEnd(footer), expected)
            try checkCoders(storage)
            return storage
        } catch {
            throw file.corruption(error.reason, at: footer.index.offset)
        }
    }

    /// Checks that the index covers exactly the data, and that its sums equal the directory's.
    func check(
        _ index: SegmentIndex, dataEnd: UInt64, _ expected: SegmentMetadata
    ) throws(ParseFailure) {
        guard index.blockOffset(index.count) == dataEnd else {
            throw ParseFailure("the index does not cover the data")
        }
        guard index.count == expected.blockCount else {
            throw ParseFailure("the index's block count differs from the directory's")
        }
        for slice in expected.slices {
            var sum = SliceRecord(namespace: slice.namespace, firstBlock: slice.firstBlock)
            let first = Int(slice.firstBlock)
            for block in first..<(first + Int(slice.blockCount)) {
                sum.add(index.statistics(block), storedBytes: index.handle(block).totalBytes)
            }
            for block in first..<(first + Int(slice.blockCount)) where index.namespace(block) != slice.namespace {
                throw ParseFailure("the index has a separator of another namespace")
            }
            guard sum == slice else { throw ParseFailure("the index's counts differ from the directory's") }
        }
    }

    /// Checks that every block that needs a dictionary or a value code has one.
    private func checkCoders(_ storage: SegmentTableStorage) throws(ParseFailure) {
        let index = storage.index
        for block in 0..<index.count where !storage.coders.suffice(forBlock: block, index.codec(block)) {
            throw ParseFailure("a block needs a dictionary that is missing")
        }
    }
}
