import Testing

@testable import ShaleBench

struct KeyBufferTests {
    @Test("a key is the number's decimal digits with zeros in front", arguments: [0, 7, 99_999_999, 100_000_000])
    func digits(number: Int) {
        var key = KeyBuffer(byteCount: 20)
        key.set(number)
        let digits = String(number)
        #expect(String(decoding: key.array, as: UTF8.self) == String(repeating: "0", count: 20 - digits.count) + digits)
    }

    @Test("a missing key sorts right before keys that are there")
    func missing() {
        var key = KeyBuffer(byteCount: 16)
        key.setMissing(1230)
        let missing = key.array
        key.set(1229)
        #expect(key.array.lexicographicallyPrecedes(missing))
        key.set(1230)
        #expect(missing.lexicographicallyPrecedes(key.array))
    }
}
