import ShaleBase

/// Facts about a whole segment, encoded as tag u16 | length u32 | bytes. On disk, do not change: DESIGN.md,
/// "Properties".
struct SegmentProperties: Equatable {
    var createdMilliseconds: Int64
    var writerVersion: String
    var smallestKey: [UInt8]
    var largestKey: [UInt8]
    var entryCount: UInt64
    var dataBytes: UInt64
    /// The dictionaries and the value codes of the slices that have one, ascending; contiguous in the file in this
    /// order.
    var dictionaries: [SliceCoderRecord] = []
    var valueCodes: [SliceCoderRecord] = []
    var compression: CompressionRecord?
    /// The uses of value files.
    var values: [ValueUse] = []

    static let writerVersion = "Shale 1"

    private static let valuesTag: UInt16 = 10
    private static let skippableTag: UInt16 = 0x8000
    private static let compressionTag: UInt16 = 0x8008
    private static let knownTags: Set<UInt16> = [1, 2, 3, 4, 5, 6, 7, 9, valuesTag]

    func encode(to buffer: inout ByteBuffer) {
        func header(_ tag: UInt16, _ length: Int) {
            buffer.append(tag)
            buffer.append(UInt32(length))
        }
        header(1, 8)
        buffer.append(createdMilliseconds)
        header(2, writerVersion.utf8.count)
        buffer.append(Array(writerVersion.utf8))
        header(3, smallestKey.count)
        buffer.append(smallestKey)
        header(4, largestKey.count)
        buffer.append(largestKey)
        header(5, 8)
        buffer.append(entryCount)
        header(6, 8)
        buffer.append(dataBytes)
        for (tag, records) in [(7 as UInt16, dictionaries), (9, valueCodes)] where !records.isEmpty {
            header(tag, records.count * SliceCoderRecord.encodedBytes)
            SliceCoderRecord.encode(records, into: &buffer)
        }
        if !values.isEmpty {
            header(SegmentProperties.valuesTag, values.count * ValueUse.encodedBytes)
            ValueUse.encode(values, into: &buffer)
        }
        if let compression {
            header(SegmentProperties.compressionTag, CompressionRecord.encodedBytes)
            compression.encode(into: &buffer)
        }
    }

    /// Checks that dictionaries and value codes stand between the data and the next part, and only if the footer has
    /// the flag.
    func check(_ footer: SegmentFooter) throws(ParseFailure) {
        guard dictionaries.isEmpty != footer.features.contains(.dictionaries),
            valueCodes.isEmpty != footer.features.contains(.valueCodes)
        else { throw ParseFailure("footer and properties differ about dictionaries") }
        let records = dictionaries + valueCodes
        for (record, next) in zip(records, records.dropFirst()) where record.handle.end != next.handle.offset {
            throw ParseFailure("the dictionaries are out of order")
        }
        guard records.last.map({ $0.handle.end == footer.dataEnd }) ?? true else {
            throw ParseFailure("the dictionaries do not end where the next part begins")
        }
    }

    /// The offset at which data blocks end.
    func blocksEnd(_ footer: SegmentFooter) -> UInt64 {
        (dictionaries.first ?? valueCodes.first)?.handle.offset ?? footer.dataEnd
    }

    enum Failure: Error {
        case invalid(ParseFailure)
        case newerFormat(tag: UInt16)
    }

    static func decode(_ raw: Bytes) throws(Failure) -> SegmentProperties {
        var fields: [UInt16: [UInt8]] = [:]
        do {
            var reader = ByteReader(raw)
            while !reader.isAtEnd {
                let tag = try reader.u16("properties")
                fields[tag] = try reader.string32(limit: raw.count, "a property")
            }
        } catch {
            throw .invalid(error)
        }
        for tag in fields.keys.sorted() where !knownTags.contains(tag) && tag & skippableTag == 0 {
            throw .newerFormat(tag: tag)
        }
        guard let created = fields[1].flatMap(integer), let version = fields[2], let smallest = fields[3],
            let largest = fields[4], let entries = fields[5].flatMap(integer), let bytes = fields[6].flatMap(integer)
        else { throw .invalid(ParseFailure("a property is missing")) }
        let dictionaries: [SliceCoderRecord]
        let valueCodes: [SliceCoderRecord]
        let values: [ValueUse]
        do {
            dictionaries = try records(fields[7])
            valueCodes = try records(fields[9])
            values = try uses(fields[valuesTag])
        } catch {
            throw .invalid(error)
        }
        return SegmentProperties(
            createdMilliseconds: Int64(bitPattern: created), writerVersion: String(decoding: version, as: UTF8.self),
            smallestKey: smallest, largestKey: largest, entryCount: entries, dataBytes: bytes,
            dictionaries: dictionaries, valueCodes: valueCodes,
            compression: fields[compressionTag].flatMap { CompressionRecord(decoding: $0) }, values: values)
    }

    private static func uses(_ field: [UInt8]?) throws(ParseFailure) -> [ValueUse] {
        guard let field else { return [] }
        return try field.withBytes { (raw) throws(ParseFailure) in try ValueUse.decode(raw) }
    }

    private static func records(_ field: [UInt8]?) throws(ParseFailure) -> [SliceCoderRecord] {
        guard let field else { return [] }
        return try field.withBytes { (raw) throws(ParseFailure) in try SliceCoderRecord.decode(raw) }
    }

    private static func integer(_ bytes: [UInt8]) -> UInt64? {
        guard bytes.count == 8 else { return nil }
        return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// A segment's record of how it was compressed.
///
/// Its blocks tell neither the level of zstd nor what was tried without success. A compaction uses the record to leave
/// a segment as it is.
///
/// A segment has no record if its target was no compression, if it mixes blocks of different targets, or if an earlier
/// version wrote it.
package struct CompressionRecord: Equatable, Sendable {
    /// The codec with which every block was compressed: ``BlockCodec/lz4`` or zstd with its level.
    ///
    /// Blocks that did not shrink are stored uncompressed.
    package let codec: BlockCodec
    /// True if the writer looked for dictionaries. If there is none, none was worthwhile.
    package let soughtDictionaries: Bool
    /// True if a key has more than one version, for a snapshot of that time.
    package let hasVersions: Bool
    /// True if blocks were to be split.
    package let splitsBlocks: Bool

    // On disk, do not change: DESIGN.md, "Properties", tag 0x8008.
    static let encodedBytes = 3
    private static let soughtFlag: UInt8 = 1
    private static let versionsFlag: UInt8 = 2
    private static let splitFlag: UInt8 = 4

    package init?(codec: BlockCodec, soughtDictionaries: Bool, hasVersions: Bool, splitsBlocks: Bool = false) {
        guard codec != .none || splitsBlocks else { return nil }
        self.codec = codec
        self.soughtDictionaries = soughtDictionaries
        self.hasVersions = hasVersions
        self.splitsBlocks = splitsBlocks
    }

    func encode(into buffer: inout ByteBuffer) {
        let (kind, level): (StoredCodec, Int32) =
            switch codec {
            case .none: (.none, 0)
            case .lz4: (.lz4, 0)
            case .zstd(let level): (.zstd, level)
            }
        let flags =
            (soughtDictionaries ? CompressionRecord.soughtFlag : 0)
            | (hasVersions ? CompressionRecord.versionsFlag : 0)
            | (splitsBlocks ? CompressionRecord.splitFlag : 0)
        buffer.append([kind.rawValue, UInt8(bitPattern: Int8(clamping: level)), flags])
    }

    /// Returns `nil` for a form that only a later version knows. The record is a hint: without it, a compaction only
    /// writes more.
    init?(decoding bytes: [UInt8]) {
        guard bytes.count == CompressionRecord.encodedBytes else { return nil }
        splitsBlocks = bytes[2] & CompressionRecord.splitFlag != 0
        switch StoredCodec(rawValue: bytes[0]) {
        case .some(.none) where splitsBlocks: codec = .none
        case .lz4: codec = .lz4
        case .zstd: codec = .zstd(level: Int32(Int8(bitPattern: bytes[1])))
        default: return nil
        }
        soughtDictionaries = bytes[2] & CompressionRecord.soughtFlag != 0
        hasVersions = bytes[2] & CompressionRecord.versionsFlag != 0
    }
}
