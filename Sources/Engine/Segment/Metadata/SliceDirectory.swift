package import ShaleBase

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
