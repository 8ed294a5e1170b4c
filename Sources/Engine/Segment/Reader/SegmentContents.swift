package import ShaleBase

/// The positions of the parts of a segment file, for tools.
package struct SegmentLayout: Sendable {
    package struct Part: Sendable {
        package let name: String
        package let offset: UInt64
        /// The size in the file in bytes, including block trailers.
        package let storedBytes: UInt64
        package let rawBytes: UInt64
    }

    /// The parts in file order.
    package let parts: [Part]
    package let writerVersion: String
}

/// A version in a block, copied.
package struct BlockEntry: Sendable {
    /// The encoded key.
    package let key: [UInt8]
    package let trailer: Trailer
    package let expiry: Int64
    package let value: [UInt8]
}

extension Segment {
    /// Returns the layout. Reads footer and properties only; index and filter may be damaged.
    package func layout() throws(StorageError) -> SegmentLayout {
        let scratch = environment.scratch.take()
        defer { environment.scratch.put(scratch) }
        let loader = SegmentLoader(file: file, scratch: scratch)
        let size = try file.size()
        let footer = try loader.footer(size: size)
        let properties = try loader.properties(footer)
        let data = SegmentLayout.Part(
            name: "data", offset: 0, storedBytes: properties.blocksEnd(footer),
            rawBytes: metadata.dataBytes)
        let blocks =
            properties.dictionaries.map { ("dictionary", $0.handle) }
            + properties.valueCodes.map { ("value code", $0.handle) } + [
                ("filter", footer.filter), ("index", footer.index), ("directory", footer.directory),
                ("properties", footer.properties),
            ]
        let parts = blocks.filter { !$0.1.isAbsent }.map { name, handle in
            SegmentLayout.Part(
                name: name, offset: handle.offset, storedBytes: UInt64(handle.totalBytes),
                rawBytes: UInt64(handle.rawLength))
        }
        let end = SegmentLayout.Part(
            name: "footer", offset: size - UInt64(SegmentFormat.footerBytes),
            storedBytes: UInt64(SegmentFormat.footerBytes), rawBytes: UInt64(SegmentFormat.footerBytes))
        return SegmentLayout(parts: [data] + parts + [end], writerVersion: properties.writerVersion)
    }

    /// Returns all versions in block `block`, which is read past the cache and verified. O(block).
    package func entries(ofBlock block: Int) throws(StorageError) -> [BlockEntry] {
        let data = try readBlock(block, index().place(block), fillCache: false)
        defer { data.release() }
        return (0..<data.count).map { BlockEntry(data, $0) }
    }

    /// Returns all versions of the encoded key `key`, newest first, each with the number of its block.
    ///
    /// Ignores the filter, so that a filter that lacks the key hides nothing.
    ///
    /// - Complexity: O(blocks that hold the key).
    package func versions(of key: Bytes) throws(StorageError) -> [(entry: BlockEntry, block: Int)] {
        let index = try index()
        var found: [(entry: BlockEntry, block: Int)] = []
        var number = index.find(key)
        while number < index.count {
            let data = try readBlock(number, index.place(number), fillCache: false)
            defer { data.release() }
            var entry = data.lowerBound(key)
            while entry < data.count {
                let candidate = BlockEntry(data, entry)
                guard unsafe candidate.key.withUnsafeBytes({ unsafe Bytes($0) == key }) else { return found }
                found.append((candidate, number))
                entry += 1
            }
            guard index.continues(number) else { return found }
            number += 1
        }
        return found
    }
}

extension BlockEntry {
    init(_ block: DataBlock, _ index: Int) {
        key = block.key(index)
        trailer = block.trailer(index)
        expiry = block.expiry(index)
        value = block.value(index).array()
    }
}
