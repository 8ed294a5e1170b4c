package import ShaleBase

/// A segment's data about one namespace: a row of the directory.
///
/// The manifest stores the same bytes, so that pickers, statistics and purge never open a segment.
/// On disk, do not change: DESIGN.md, "Directory".
package struct SliceRecord: Equatable, Sendable {
    package var namespace: NamespaceID
    package var firstBlock: UInt32
    package var blockCount: UInt32 = 0
    package var entryCount: UInt64 = 0
    package var deleteCount: UInt64 = 0
    package var purgeableCount: UInt64 = 0
    package var expirableCount: UInt64 = 0
    /// The total length of encoded keys and values.
    package var dataBytes: UInt64 = 0
    package var purgeableDataBytes: UInt64 = 0
    /// The size of the slice's blocks in the file in bytes, including block trailers.
    package var storedBytes: UInt64 = 0
    package var minSequence: SequenceNumber = 0
    package var maxSequence: SequenceNumber = 0
    /// The highest sequence of a purgeable entry; 0 if no entry is purgeable.
    package var maxPurgeableSequence: SequenceNumber = 0
    /// The extremes of the expiries; 0 if no entry expires.
    package var minExpiry: Int64 = 0
    package var maxExpiry: Int64 = 0

    static let encodedBytes = 108

    package init(namespace: NamespaceID, firstBlock: UInt32) {
        self.namespace = namespace
        self.firstBlock = firstBlock
    }

    /// Adds the counts of one block.
    mutating func add(_ block: BlockStatistics, storedBytes: Int) {
        minSequence = blockCount == 0 ? block.minSequence : min(minSequence, block.minSequence)
        maxSequence = max(maxSequence, block.maxSequence)
        maxPurgeableSequence = max(maxPurgeableSequence, block.maxPurgeableSequence)
        if block.expirableCount > 0 {
            minExpiry = expirableCount == 0 ? block.minExpiry : min(minExpiry, block.minExpiry)
            maxExpiry = expirableCount == 0 ? block.maxExpiry : max(maxExpiry, block.maxExpiry)
        }
        blockCount += 1
        entryCount += UInt64(block.entryCount)
        deleteCount += UInt64(block.deleteCount)
        purgeableCount += UInt64(block.purgeableCount)
        expirableCount += UInt64(block.expirableCount)
        dataBytes += UInt64(block.dataBytes)
        purgeableDataBytes += UInt64(block.purgeableDataBytes)
        self.storedBytes += UInt64(storedBytes)
    }

    package func encode(into buffer: inout ByteBuffer) {
        buffer.append(namespace.rawValue)
        buffer.append(firstBlock)
        buffer.append(blockCount)
        buffer.append(entryCount)
        buffer.append(deleteCount)
        buffer.append(purgeableCount)
        buffer.append(expirableCount)
        buffer.append(dataBytes)
        buffer.append(purgeableDataBytes)
        buffer.append(storedBytes)
        buffer.append(minSequence)
        buffer.append(maxSequence)
        buffer.append(maxPurgeableSequence)
        buffer.append(minExpiry)
        buffer.append(maxExpiry)
    }

    package init(decoding reader: inout ByteReader) throws(ParseFailure) {
        let namespace = NamespaceID(rawValue: try reader.u32("a slice record"))
        self.init(namespace: namespace, firstBlock: try reader.u32("a slice record"))
        blockCount = try reader.u32("a slice record")
        entryCount = try reader.u64("a slice record")
        deleteCount = try reader.u64("a slice record")
        purgeableCount = try reader.u64("a slice record")
        expirableCount = try reader.u64("a slice record")
        dataBytes = try reader.u64("a slice record")
        purgeableDataBytes = try reader.u64("a slice record")
        storedBytes = try reader.u64("a slice record")
        minSequence = try reader.u64("a slice record")
        maxSequence = try reader.u64("a slice record")
        maxPurgeableSequence = try reader.u64("a slice record")
        minExpiry = try reader.i64("a slice record")
        maxExpiry = try reader.i64("a slice record")
        try check()
    }

    /// Checks that no count exceeds the count that contains it: pickers and statistics calculate with these numbers.
    private func check() throws(ParseFailure) {
        guard max(entryCount, dataBytes, storedBytes) <= FormatLimits.segmentTotal, deleteCount <= entryCount,
            purgeableCount <= entryCount - deleteCount, expirableCount <= entryCount - deleteCount,
            purgeableDataBytes <= dataBytes, minSequence <= maxSequence, maxSequence <= Trailer.sequenceMax,
            maxPurgeableSequence <= maxSequence, minExpiry <= maxExpiry
        else { throw ParseFailure("a slice record's counts contradict each other") }
    }
}

/// The raw directory: count u32, then a slice record per namespace, ascending, with contiguous blocks.
package enum SliceDirectory {
    package static func encode(_ slices: [SliceRecord], into buffer: inout ByteBuffer) {
        buffer.append(UInt32(slices.count))
        for slice in slices { slice.encode(into: &buffer) }
    }

    package static func decode(_ reader: inout ByteReader) throws(ParseFailure) -> [SliceRecord] {
        let count = Int(try reader.u32("a directory"))
        guard count >= 1, count <= reader.remaining / SliceRecord.encodedBytes else {
            throw ParseFailure("a directory's count contradicts its length")
        }
        var slices: [SliceRecord] = []
        slices.reserveCapacity(count)
        for _ in 0..<count {
            let slice = try SliceRecord(decoding: &reader)
            let expected = try slices.last.map(nextBlock) ?? 0
            guard slice.firstBlock == expected, slice.blockCount >= 1 else {
                throw ParseFailure("a directory's slices are not contiguous")
            }
            guard slices.last.map({ $0.namespace < slice.namespace }) ?? true else {
                throw ParseFailure("a directory's namespaces are out of order")
            }
            slices.append(slice)
        }
        return slices
    }

    private static func nextBlock(_ slice: SliceRecord) throws(ParseFailure) -> UInt32 {
        let (next, overflow) = slice.firstBlock.addingReportingOverflow(slice.blockCount)
        guard !overflow else { throw ParseFailure("a directory's block numbers overflow") }
        return next
    }
}
