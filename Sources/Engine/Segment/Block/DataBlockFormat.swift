/// The fixed header of a raw data block. On disk, do not change: DESIGN.md, "Data block".
enum DataBlockFormat {
    /// Count u32, shared prefix length u16, flags u8, sequence width u8, base sequence u64.
    static let headerBytes = 16

    static let fixedKeyLength: UInt8 = 1
    static let fixedValueLength: UInt8 = 2
    static let oneKind: UInt8 = 4
    static let oneSequence: UInt8 = 8
    static let hasExpiries: UInt8 = 16
    static let wideValueLengths: UInt8 = 32
    static let hasVersions: UInt8 = 64
    static let knownFlags: UInt8 = 127

    /// Returns the narrowest of the widths 0, 1, 2, 4 and 7 bytes that holds `spread`.
    static func sequenceWidth(_ spread: UInt64) -> Int {
        if spread == 0 { return 0 }
        if spread <= 0xff { return 1 }
        if spread <= 0xffff { return 2 }
        return spread <= 0xffff_ffff ? 4 : 7
    }
}
