package import ShaleBase
import ShaleValues

/// The facts about a segment that are known without opening it.
///
/// The manifest stores the encoded form. On disk, do not change: DESIGN.md, "Segment metadata".
package struct SegmentMetadata: Equatable, Sendable {
    package let number: UInt64
    /// The exact size of the file in bytes.
    package let fileBytes: UInt64
    package let createdMilliseconds: Int64
    /// The first and the last encoded key, both of entries in the segment.
    package let smallestKey: [UInt8]
    package let largestKey: [UInt8]
    /// The slices, one per namespace, ascending; at least one.
    package let slices: [SliceRecord]
    /// The features that earlier versions can't read.
    ///
    /// Not encoded here: the enclosing fact of the manifest tells it.
    package let features: SegmentFeatures
    /// The uses of value files, ascending; empty unless ``features`` has `valueReferences`.
    package let values: [ValueUse]

    /// An estimate of the memory for a segment that has not been read: this value, its object and its entry in the
    /// version, with the keys twice.
    var memoryBytes: Int {
        1024 + 2 * (smallestKey.count + largestKey.count) + slices.count * MemoryLayout<SliceRecord>.stride
            + values.count * 2 * MemoryLayout<ValueUse>.stride
    }

    // Sums over the slices.
    package let blockCount: Int
    package let entryCount: UInt64
    package let deleteCount: UInt64
    package let purgeableCount: UInt64
    package let expirableCount: UInt64
    package let dataBytes: UInt64
    package let minSequence: SequenceNumber
    package let maxSequence: SequenceNumber

    package init(
        number: UInt64, fileBytes: UInt64, createdMilliseconds: Int64, smallestKey: [UInt8], largestKey: [UInt8],
        slices: [SliceRecord], features: SegmentFeatures = [], values: [ValueUse] = []
    ) {
        self.number = number
        self.fileBytes = fileBytes
        self.createdMilliseconds = createdMilliseconds
        self.smallestKey = smallestKey
        self.largestKey = largestKey
        self.slices = slices
        self.features = features
        self.values = values
        // Wrapping arithmetic, because the slices of a forged file may hold any number.
        blockCount = slices.reduce(0) { $0 + Int($1.blockCount) }
        entryCount = slices.reduce(0) { $0 &+ $1.entryCount }
        deleteCount = slices.reduce(0) { $0 &+ $1.deleteCount }
        purgeableCount = slices.reduce(0) { $0 &+ $1.purgeableCount }
        expirableCount = slices.reduce(0) { $0 &+ $1.expirableCount }
        dataBytes = slices.reduce(0) { $0 &+ $1.dataBytes }
        minSequence = slices.map(\.minSequence).min() ?? 0
        maxSequence = slices.map(\.maxSequence).max() ?? 0
    }

    package var hasDictionaries: Bool { features.contains(.dictionaries) }

    package var fileName: String { SegmentFileName.make(number) }

    /// The size of the files that the segment's writer made.
    package var writtenBytes: UInt64 { fileBytes + (values.first { $0.file == number }?.fileBytes ?? 0) }

    /// The names of the files that the segment's writer made: its own, and that of the values that it copied.
    package var fileNames: [String] {
        values.contains { $0.file == number } ? [fileName, ValueFileName.make(number)] : [fileName]
    }

    /// Returns the slice of a namespace. O(log slices).
    package func slice(of namespace: NamespaceID) -> SliceRecord? {
        var low = 0
        var high = slices.count
        while low < high {
            let middle = (low + high) / 2
            if slices[middle].namespace < namespace { low = middle + 1 } else { high = middle }
        }
        return low < slices.count && slices[low].namespace == namespace ? slices[low] : nil
    }

    package func encode(into buffer: inout ByteBuffer) {
        buffer.append(number)
        buffer.append(fileBytes)
        buffer.append(createdMilliseconds)
        buffer.append(UInt32(smallestKey.count))
        buffer.append(smallestKey)
        buffer.append(UInt32(largestKey.count))
        buffer.append(largestKey)
        SliceDirectory.encode(slices, into: &buffer)
    }

    /// Encodes the uses of value files, which precede the rest in the manifest.
    package func encodeValues(into buffer: inout ByteBuffer) {
        buffer.append(UInt32(values.count))
        ValueUse.encode(values, into: &buffer)
    }

    package static func decodeValues(_ reader: inout ByteReader) throws(ParseFailure) -> [ValueUse] {
        let count = Int(try reader.u32("uses of value files"))
        return try ValueUse.decode(try reader.slice(count * ValueUse.encodedBytes, "uses of value files"))
    }

    package init(
        decoding reader: inout ByteReader, _ features: SegmentFeatures = [], values: [ValueUse] = []
    ) throws(ParseFailure) {
        let number = try reader.u64("segment metadata")
        let fileBytes = try reader.u64("segment metadata")
        let created = try reader.i64("segment metadata")
        let smallest = try reader.string32(limit: SegmentFormat.encodedKeyBytesMax, "a segment's smallest key")
        let largest = try reader.string32(limit: SegmentFormat.encodedKeyBytesMax, "a segment's largest key")
        let slices = try SliceDirectory.decode(&reader)
        self.init(
            number: number, fileBytes: fileBytes, createdMilliseconds: created, smallestKey: smallest,
            largestKey: largest, slices: slices, features: features, values: values)
        try check()
    }

    /// Checks the invariants of every segment's metadata, whichever version wrote it.
    func check() throws(ParseFailure) {
        guard smallestKey.count >= EncodedKey.namespaceWidth, largestKey.count >= EncodedKey.namespaceWidth,
            !largestKey.lexicographicallyPrecedes(smallestKey)
        else { throw ParseFailure("a segment's key range is invalid") }
        guard let first = slices.first, let last = slices.last,
            smallestKey.starts(with: EncodedKey.start(of: first.namespace)),
            largestKey.starts(with: EncodedKey.start(of: last.namespace))
        else { throw ParseFailure("a segment's key range differs from its slices") }
        guard values.isEmpty != features.contains(.valueReferences) else {
            throw ParseFailure("features and uses of value files differ")
        }
        guard number <= FormatLimits.fileNumber, fileBytes <= FormatLimits.segmentTotal else {
            throw ParseFailure("a segment's number or size is out of bounds")
        }
        var entries: UInt64 = 0
        var data: UInt64 = 0
        for slice in slices {
            // Each slice is bounded, so these sums are found too large before they overflow.
            entries += slice.entryCount
            data += slice.dataBytes
            guard max(entries, data) <= FormatLimits.segmentTotal, slice.storedBytes <= fileBytes else {
                throw ParseFailure("a segment's slices together are larger than the segment")
            }
        }
    }
}
