/// The default secret of XXH3: 192 published bytes, read as little-endian words at any offset.
enum XXH3Secret {
    /// The bytes in memory, for reads at offsets that are unknown at compile time. Initialized lazily: callers fetch it
    /// once per hash.
    static let bytes: OwnedBytes = {
        let memory = OwnedBytes(count: 192)
        for i in 0..<24 { memory.mutable.store(word(8 * i), at: 8 * i) }
        return memory
    }()

    /// Returns the word at `offset`, a multiple of eight. For a constant offset the compiler leaves nothing but the
    /// word.
    @inline(__always)
    static func word(_ offset: Int) -> UInt64 {
        switch offset {
        case 0: 0xbe4b_a423_396c_feb8
        case 8: 0x1cad_21f7_2c81_017c
        case 16: 0xdb97_9083_e96d_d4de
        case 24: 0x1f67_b3b7_a4a4_4072
        case 32: 0x78e5_c0cc_4ee6_79cb
        case 40: 0x2172_ffcc_7dd0_5a82
        case 48: 0x8e24_43f7_7446_08b8
        case 56: 0x4c26_3a81_e690_35e0
        case 64: 0xcb00_c391_bb52_283c
        case 72: 0xa32e_531b_8b65_d088
        case 80: 0x4ef9_0da2_9748_6471
        case 88: 0xd8ac_dea9_46ef_1938
        case 96: 0x3f34_9ce3_3f76_faa8
        case 104: 0x1d4f_0bc7_c7bb_dcf9
        case 112: 0x3159_b4cd_4be0_518a
        case 120: 0x6473_78d9_c97e_9fc8
        case 128: 0xc3eb_d334_83ac_c5ea
        case 136: 0xeb63_13fa_ffa0_81c5
        case 144: 0x49da_f0b7_51dd_0d17
        case 152: 0x9e68_d429_2655_16d3
        case 160: 0xfca1_477d_58be_162b
        case 168: 0xce31_d07a_d1b8_f88f
        case 176: 0x2804_1695_8f3a_cb45
        case 184: 0x7e40_4bbb_cafb_d7af
        default: preconditionFailure("the secret has 24 words")
        }
    }

    /// Returns the half word at `offset`, a multiple of four.
    @inline(__always)
    static func word32(_ offset: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: word(offset & ~7) &>> UInt64(8 &* (offset & 4)))
    }
}
