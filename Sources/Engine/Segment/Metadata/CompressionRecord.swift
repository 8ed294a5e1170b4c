import ShaleBase

/// What a segment says of how it was compressed, beyond what its blocks tell: they know neither the level of zstd nor what
/// was tried in vain. A compaction leaves a segment alone because of it.
///
/// Segments whose target was no compression at all have none, nor those that mix blocks of different targets, nor those of
/// writers of before.
package struct CompressionRecord: Equatable, Sendable {
    /// What every block was offered to: ``BlockCodec/lz4`` or zstd with its level. Blocks that did not shrink are stored plain.
    package let codec: BlockCodec
    /// Dictionaries were looked for: if there is none, none was worth it.
    package let soughtDictionaries: Bool
    /// Some key has more than one version: for a snapshot of that time.
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

    /// Nil for what a later version may mean by it: a record is a hint, and without it more is written than needed.
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
