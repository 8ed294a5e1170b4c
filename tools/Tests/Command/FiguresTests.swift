import Testing

@testable import ShaleCommand

@Suite struct FiguresTests {
    @Test func numbersAreShortAndExactEnoughToRead() {
        #expect(Figures.count(0) == "0")
        #expect(Figures.count(-1234567) == "-1 234 567")
        #expect(Figures.bytes(999) == "999 B")
        #expect(Figures.bytes(-1500) == "-1.5 kB")
        #expect(Figures.bytes(52_600_000) == "52.6 MB")
        #expect(Figures.decimal(0.05, 2) == "0.05")
        #expect(Figures.decimal(-0.04, 1) == "0.0")
        #expect(Figures.duration(.microseconds(12)) == "12 µs")
        #expect(Figures.duration(.milliseconds(1500)) == "1.50 s")
        #expect(Figures.duration(.seconds(125)) == "2 min 5 s")
    }

    @Test func columnsAreAsWideAsTheyNeedToBe() {
        var table = Table(["A", "N"], rightAligned: [1])
        table.add("long", "1")
        table.add("x", "1000")
        #expect(table.text == "A        N\nlong     1\nx     1000")
    }

    @Test func linesAreNeverBrokenByWhatTheyShow() {
        let data = "a\nb\tc\\d\u{1}"
        #expect(Shown(data) == "a\\nb\\tc\\\\d\\x01")
        #expect(Shown(key: [0x61, 0xff, 0x5c]) == "a\\xff\\x5c")
    }
}
