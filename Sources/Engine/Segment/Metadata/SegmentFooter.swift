import ShaleBase

/// The last 96 bytes of a segment. On disk, do not change: DESIGN.md, "Footer".
struct SegmentFooter: Equatable {
    var index: BlockHandle
    /// The filter; absent if the writer's options had 0 bits per key.
    var filter: BlockHandle
    var directory: BlockHandle
    var properties: BlockHandle
    var features: SegmentFeatures = []

    enum Failure: Error {
        case corrupt(ParseFailure)
        case newerFormat(version: UInt16)
    }

    func encode(to buffer: inout ByteBuffer, file: UInt64, offset: UInt64) {
        let start = buffer.count
        index.encode(to: &buffer)
        filter.encode(to: &buffer)
        directory.encode(to: &buffer)
        properties.encode(to: &buffer)
        buffer.append(file)
        buffer.append(UInt32(features.intersection(.flagged).rawValue))
        buffer.append(features.formatVersion)
        buffer.append(SegmentFormat.checksumKind)
        buffer.append(UInt8(filter.isAbsent ? 0 : 1))
        let sum = Checksum.of(buffer.bytes.slice(start, 80), file: file, offset: offset)
        buffer.append(sum)
        buffer.append(SegmentFormat.magic)
    }

    static func decode(_ bytes: Bytes, file: UInt64, offset: UInt64) throws(Failure) -> SegmentFooter {
        guard bytes.count == SegmentFormat.footerBytes, bytes.u64(at: 88) == SegmentFormat.magic else {
            throw .corrupt(ParseFailure("the footer's magic is missing"))
        }
        guard bytes.u64(at: 80) == Checksum.of(bytes.slice(0, 80), file: file, offset: offset) else {
            let number = bytes.u64(at: 64)
            throw .corrupt(
                ParseFailure(
                    number == file
                        ? "the footer fails its checksum"
                        : "the footer fails its checksum and names file number \(number)"))
        }
        let version = bytes.u16(at: 76)
        guard let features = features(version: version, flags: bytes.u32(at: 72)),
            bytes[78] == SegmentFormat.checksumKind, bytes[79] <= 1
        else { throw .newerFormat(version: version) }
        do {
            let footer = try decodeHandles(bytes, features, file: file)
            try footer.check(footerOffset: offset)
            return footer
        } catch {
            throw .corrupt(error)
        }
    }

    /// Returns the features, or `nil` if a later version wrote the segment.
    private static func features(version: UInt16, flags: UInt32) -> SegmentFeatures? {
        guard version >= 1, version <= SegmentFormat.versionMax,
            flags & ~UInt32(SegmentFeatures.flagged.rawValue) == 0
        else { return nil }
        let isSplit = version == 2 ? SegmentFeatures.splitBlocks.rawValue : 0
        return SegmentFeatures(decoding: UInt8(flags) | isSplit)
    }

    /// Checks that the parts are contiguous and end at the footer's offset.
    private func check(footerOffset: UInt64) throws(ParseFailure) {
        let beforeIndex = filter.isAbsent ? index.offset : filter.end
        guard index.offset == beforeIndex, directory.offset == index.end, properties.offset == directory.end,
            properties.end == footerOffset
        else { throw ParseFailure("the footer's handles are not contiguous") }
    }

    /// The offset at which data blocks, dictionaries and value codes end.
    var dataEnd: UInt64 { filter.isAbsent ? index.offset : filter.offset }

    private static func decodeHandles(
        _ bytes: Bytes, _ features: SegmentFeatures, file: UInt64
    ) throws(ParseFailure) -> SegmentFooter {
        guard bytes.u64(at: 64) == file else { throw ParseFailure("the footer names another file") }
        var reader = ByteReader(bytes)
        let index = try BlockHandle.decode(&reader)
        let filter = try BlockHandle.decode(&reader)
        let directory = try BlockHandle.decode(&reader)
        let properties = try BlockHandle.decode(&reader)
        guard filter.isAbsent == (bytes[79] == 0) else { throw ParseFailure("the footer's filter family is wrong") }
        return SegmentFooter(
            index: index, filter: filter, directory: directory, properties: properties, features: features)
    }
}
