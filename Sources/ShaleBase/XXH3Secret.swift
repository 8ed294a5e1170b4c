/// The default secret of XXH3: 192 published bytes, read as little-endian words at any offset.
enum XXH3Secret {
    static let bytes: OwnedBytes = {
        let words: [UInt64] = [
            0xbe4b_a423_396c_feb8, 0x1cad_21f7_2c81_017c, 0xdb97_9083_e96d_d4de, 0x1f67_b3b7_a4a4_4072,
            0x78e5_c0cc_4ee6_79cb, 0x2172_ffcc_7dd0_5a82, 0x8e24_43f7_7446_08b8, 0x4c26_3a81_e690_35e0,
            0xcb00_c391_bb52_283c, 0xa32e_531b_8b65_d088, 0x4ef9_0da2_9748_6471, 0xd8ac_dea9_46ef_1938,
            0x3f34_9ce3_3f76_faa8, 0x1d4f_0bc7_c7bb_dcf9, 0x3159_b4cd_4be0_518a, 0x6473_78d9_c97e_9fc8,
            0xc3eb_d334_83ac_c5ea, 0xeb63_13fa_ffa0_81c5, 0x49da_f0b7_51dd_0d17, 0x9e68_d429_2655_16d3,
            0xfca1_477d_58be_162b, 0xce31_d07a_d1b8_f88f, 0x2804_1695_8f3a_cb45, 0x7e40_4bbb_cafb_d7af,
        ]
        let memory = OwnedBytes(count: 192)
        for (i, word) in words.enumerated() { memory.mutable.store(word, at: 8 * i) }
        return memory
    }()

    @inline(__always)
    static func word(_ offset: Int) -> UInt64 { bytes.bytes.u64(at: offset) }

    @inline(__always)
    static func word32(_ offset: Int) -> UInt32 { bytes.bytes.u32(at: offset) }
}
