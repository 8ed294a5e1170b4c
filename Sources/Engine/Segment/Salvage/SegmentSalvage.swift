package import ShaleBase

/// The readable parts of a damaged segment: each block on its own, and the filter on its own.
///
/// Every part that is returned was verified. Every other part is in ``damage`` or is the error of ``block(_:)``. One
/// thread at a time uses the object. It holds index, filter and a piece of 1 MiB in memory.
package final class SegmentSalvage {
    /// The manifest's metadata of the segment.
    package let metadata: SegmentMetadata
    /// The damage outside data blocks: the file's size, footer, index, filter, directory, properties.
    package private(set) var damage: [StorageError] = []

    private let segment: Segment
    private var tables: SegmentTableStorage?
    private var filter: OwnedBytes?
    private var filterLineCount: UInt32 = 0
    private var piece = ByteBuffer()
    private var pieceOffset: UInt64 = 0

    private static let pieceBytes: UInt64 = 1 << 20

    /// Reads the parts after the data. Throws `.newerFormat`, and errors that are not damage of the file.
    package init(_ segment: Segment) throws(StorageError) {
        self.segment = segment
        metadata = segment.metadata
        let scratch = segment.environment.scratch.take()
        defer { segment.environment.scratch.put(scratch) }
        try load(SegmentLoader(file: segment.file, scratch: scratch))
    }

    /// The path relative to the store, for messages.
    package var path: String { segment.file.path }

    /// True if blocks can be located. Without an index all data counts as lost.
    package var hasIndex: Bool { tables != nil }

    /// The number of blocks; 0 without an index.
    package var blockCount: Int { tables?.index.count ?? 0 }

    /// Returns false only if the key with this hash is certainly not in the segment.
    package func mayHold(hash: UInt64) -> Bool {
        guard let filter else { return true }
        return unsafe SplitBlockFilter.mayContain(
            hash, filter.bytes.start + SplitBlockFilter.headerBytes, filterLineCount)
    }

    // MARK: The parts after the data

    private func load(_ loader: SegmentLoader) throws(StorageError) {
        let size = metadata.fileBytes
        guard let footer = try attempt({ () throws(StorageError) in try loader.footer(size: size) }) else { return }
        try attempt { () throws(StorageError) in
            let actual = try segment.file.size()
            guard actual == size else {
                throw segment.file.corruption("the file is \(actual) bytes, not \(size)", at: min(size, actual))
            }
        }
        let properties = try attempt { () throws(StorageError) in try loader.properties(footer) }
        if let properties {
            try attempt { () throws(StorageError) in
                guard try loader.metadata(footer, properties, size: size) == metadata else {
                    throw segment.file.corruption(
                        "the directory differs from the recorded one", at: footer.directory.offset)
                }
            }
        }
        tables = try attempt { () throws(StorageError) in
            try index(loader, footer, properties)
        }
        guard !footer.filter.isAbsent else { return }
        try attempt { () throws(StorageError) in
            let raw = try loader.block(footer.filter, .filter)
            do throws(ParseFailure) {
                filterLineCount = try SplitBlockFilter.parse(raw.bytes)
            } catch {
                throw segment.file.corruption(error.reason, at: footer.filter.offset)
            }
            filter = raw
        }
    }

    /// Loads the index. If the properties are damaged, no dictionary and no value code can be found, and blocks that
    /// need one are lost.
    private func index(
        _ loader: SegmentLoader, _ footer: SegmentFooter, _ properties: SegmentProperties?
    ) throws(StorageError) -> SegmentTableStorage {
        let raw = try loader.block(footer.index, .index)
        do throws(ParseFailure) {
            let coders = try SegmentCoders(
                dictionaries: properties?.dictionaries ?? [], codes: properties?.valueCodes ?? [], metadata.slices,
                segment.environment.budget)
            let isSplit = footer.features.contains(.splitBlocks)
            let storage = try SegmentTableStorage(rawIndex: raw, isSplit: isSplit, filter: nil, coders: coders)
            // Nothing but the properties tells where dictionaries begin. Without them, the index's value is used.
            let isUnknown =
                !footer.features.isDisjoint(with: [.dictionaries, .valueCodes])
                && properties?.dictionaries.isEmpty != false && properties?.valueCodes.isEmpty != false
            let dataEnd =
                isUnknown
                ? storage.index.blockOffset(storage.index.count) : properties?.blocksEnd(footer) ?? footer.dataEnd
            try loader.check(storage.index, dataEnd: dataEnd, metadata)
            return storage
        } catch {
            throw segment.file.corruption(error.reason, at: footer.index.offset)
        }
    }

    /// Returns the result of `body`. If bytes are damaged, records the error and returns `nil`.
    @discardableResult
    private func attempt<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R? {
        do {
            return try body()
        } catch {
            guard error.isLossOfBytes else { throw error }
            damage.append(error)
            return nil
        }
    }

    // MARK: Data

    /// Returns the entries of a block. An error with ``StorageError/isLossOfBytes`` means that this block is lost.
    package func block(_ number: Int) throws(StorageError) -> SalvagedBlock {
        guard let index = tables?.index else {
            throw segment.file.corruption("the index is lost", at: 0)
        }
        let row = index.row(number)
        let coders = try tables.map { (tables) throws(StorageError) in
            try segment.coders(forBlock: number, row.codec, in: tables.coders)
        }
        let block = try segment.decode(try stored(row), row.place, coders ?? BlockCoders())
        return SalvagedBlock(block)
    }

    /// Returns a block's position, its number of entries, and the keys between which they lie.
    package func place(ofBlock number: Int) -> LostBlock? {
        guard let index = tables?.index else { return nil }
        let row = index.row(number)
        let continues = number > 0 && index.continues(number - 1)
        return LostBlock(
            offset: row.handle.offset, bytes: UInt64(row.handle.totalBytes),
            entryCount: UInt64(row.statistics.entryCount),
            lower: number > 0 ? index.separator(number - 1) : metadata.smallestKey,
            includesLower: number == 0 || continues, upper: index.separator(number))
    }

    /// Returns the stored block, from a piece with adjacent blocks if the file can be read that way.
    private func stored(_ row: IndexRow) throws(StorageError) -> Bytes {
        let start = row.handle.offset
        let count = row.handle.totalBytes
        if start >= pieceOffset, row.handle.end <= pieceOffset + UInt64(piece.count) {
            return piece.bytes.slice(Int(start - pieceOffset), count)
        }
        let end = min(tables?.index.blockOffset(blockCount) ?? 0, start + SegmentSalvage.pieceBytes)
        do {
            try read(start, max(count, Int(end - start)))
        } catch {
            guard error.isLossOfBytes else { throw error }
            try read(start, count)
        }
        return piece.bytes.slice(0, count)
    }

    private func read(_ offset: UInt64, _ count: Int) throws(StorageError) {
        piece.removeAll()
        pieceOffset = offset
        piece.reserve(count + DataBlockReader.slackBytes)
        do {
            try segment.file.read(into: piece.extend(count), at: offset)
        } catch {
            piece.removeAll()
            throw error
        }
    }
}

/// A block's position in its file and its keys: above `lower` (or from `lower` on) up to `upper`.
package struct LostBlock: Sendable {
    package let offset: UInt64
    package let bytes: UInt64
    package let entryCount: UInt64
    package let lower: [UInt8]
    package let includesLower: Bool
    package let upper: [UInt8]
}

extension StorageError {
    /// True if bytes that the store needs are altered, missing, or unreadable on the medium. The loss is final and has
    /// no other cause.
    package var isLossOfBytes: Bool {
        switch code {
        case .corruption, .missing, .missingLog: true
        case .ioFailure: (cause as? IOFailure)?.isMediumError ?? false
        default: false
        }
    }
}

/// The entries of one verified block, borrowed while this object lives.
package final class SalvagedBlock {
    private let block: DataBlock

    /// Takes over the caller's reference.
    init(_ block: DataBlock) { self.block = block }

    deinit { block.release() }

    package var count: Int { block.count }

    /// Replaces the content of `buffer` by the encoded key of an entry.
    package func key(_ index: Int, into buffer: inout ByteBuffer) {
        buffer.removeAll()
        buffer.append(block.prefix)
        buffer.append(block.suffix(index))
    }

    package func trailer(_ index: Int) -> Trailer { block.trailer(index) }
    package func expiry(_ index: Int) -> Int64 { block.expiry(index) }
    package func value(_ index: Int) -> Bytes { block.value(index) }
}
