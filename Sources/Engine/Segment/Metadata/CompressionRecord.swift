import ShaleBase

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

    // On disk, do not change: DESIGN.md, "Properties", tag 0x8008.
    static let encodedBytes = 3
    private static let soughtFlag: UInt8 = 1
    private static let versionsFlag: UInt8 = 2

    package init?(codec: BlockCodec, soughtDictionaries: Bool, hasVersions: Bool) {
        guard codec != .none else { return nil }
        self.codec = codec
        self.soughtDictionaries = soughtDictionaries
        self.hasVersions = hasVersions
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
        buffer.append([kind.rawValue, UInt8(bitPattern: Int8(clamping: level)), flags])
    }

    /// Returns `nil` for a form that only a later version knows. The record is a hint: without it, a compaction only
    /// writes more.
    init?(decoding bytes: [UInt8]) {
        guard bytes.count == CompressionRecord.encodedBytes else { return nil }
        switch StoredCodec(rawValue: bytes[0]) {
        case .lz4: codec = .lz4
        case .zstd: codec = .zstd(level: Int32(Int8(bitPattern: bytes[1])))
        default: return nil
        }
        soughtDictionaries = bytes[2] & CompressionRecord.soughtFlag != 0
        hasVersions = bytes[2] & CompressionRecord.versionsFlag != 0
    }
}
