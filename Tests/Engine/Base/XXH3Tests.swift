import ShaleBase
import Testing

/// Expected values come from the reference implementation (libxxhash 0.8): input byte i is `UInt8(i * 131 + 7 & 0xff)`.
@Suite struct XXH3Tests {
    @Test(
        arguments: [
            (0, 0x2d06800538d394c2),
            (1, 0x4c5cca45d0f4811f),
            (2, 0x29c60963cbfa4e6e),
            (3, 0x6e3e2670e61106ac),
            (4, 0x5c4c63133443d03f),
            (7, 0x46a5c724d51fe43f),
            (8, 0xf9fd4dd0b04d78f5),
            (9, 0x7c20df9712c26edf),
            (12, 0x16d2dff54dc2ee45),
            (15, 0xb345a7b2698ba575),
            (16, 0x86abf6baccea0858),
            (17, 0xb58bf5dc5022d071),
            (31, 0x48442fcd5518b086),
            (32, 0xe3712ed84c04a66e),
            (33, 0xa4dee99b093e1f73),
            (63, 0x30ca01f63dcc223b),
            (64, 0x1291d2d4042330dd),
            (65, 0x97c6bf83217e5ec9),
            (95, 0x31bc916970f3868d),
            (96, 0x81296929fc063365),
            (97, 0xf145a45b658ab9dd),
            (127, 0xed4cf62104020db5),
            (128, 0x10d17f72c0ccba41),
            (129, 0x1648bdc3db49d1a2),
            (143, 0xd05ced598f7f87b3),
            (144, 0xb46dbfc6d9e31aba),
            (160, 0x655c8dc33b4b4c4a),
            (200, 0xc0fbc0f4e181c826),
            (239, 0xf0d154819adb16cd),
            (240, 0xb6cfaf343fab81e6),
            (241, 0x956cae592c67279e),
            (255, 0x64a6073025eb7929),
            (256, 0xb15e550733c5dfac),
            (512, 0xa0e9790eb93990d7),
            (1023, 0xa94ffcd2254368e4),
            (1024, 0x70bd377d9574f4bb),
            (1025, 0x66c4487c41e127a7),
            (1088, 0xf43dc77e28a9acbc),
            (2047, 0xded1f434a1510c6a),
            (2048, 0x8b46caa67dab3a30),
            (2049, 0x581cd184fd9b76c5),
            (4096, 0x9ddd66c14af0daff),
            (16384, 0x2e11ed225e784eea),
            (16389, 0x67cc24b741ba8585),
            (40000, 0x6d9533240215ebf9),
        ] as [(Int, UInt64)])
    func hashesMatchTheReference(_ length: Int, _ expected: UInt64) {
        let input = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 131 + 7) }
        let memory = OwnedBytes(input)
        #expect(XXH3.hash(memory.bytes) == expected)
    }

    @Test func aChecksumIsBoundToItsPlace() {
        let memory = OwnedBytes([1, 2, 3])
        let here = Checksum.of(memory.bytes, file: 7, offset: 4096)
        #expect(here != Checksum.of(memory.bytes, file: 8, offset: 4096))
        #expect(here != Checksum.of(memory.bytes, file: 7, offset: 4097))
    }
}
