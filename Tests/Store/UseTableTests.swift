import Testing

@testable import Shale

/// Times of use in bounded memory.
@Suite struct UseTableTests {
    @Test func ofManyKeysTheLastUsedAreKnown() {
        let table = UseTable()
        let hashes = (0..<200_000).map { UInt64($0) &* 0x9E37_79B9_7F4A_7C15 }
        for (index, hash) in hashes.enumerated() { table.note(hash, milliseconds: Int64(index) * 1000 + 1000) }
        #expect(table.lastUse(hashes[199_999]) == 200_000_999)
        // The table knows nearly all of the last tenth, and none of the first.
        #expect(hashes.suffix(20_000).filter { table.lastUse($0) != nil }.count > 19_000)
        #expect(hashes.prefix(1000).allSatisfy { table.lastUse($0) == nil })
    }

    @Test func aUseIsNeverSetBack() {
        let table = UseTable()
        table.note(1 << 40, milliseconds: 9000)
        table.note(1 << 40, milliseconds: 5000)
        #expect(table.lastUse(1 << 40) == 9999)
    }

    @Test func aHistogramOfManyTimesStaysSmallAndCutsEnough() {
        var histogram = TimeHistogram()
        for index in 0..<100_000 { histogram.add(Int64(index) * 977, bytes: 10) }
        let cut = histogram.cut(removing: 300_000)
        // Includes the 30 000 oldest uses, to the width of a bucket.
        #expect(cut.through < 30_000 * 977 && cut.boundary >= 29_999 * 977)
        #expect(cut.boundary - cut.through <= 1 << 15)
        #expect(histogram.totalBytes == 1_000_000)
        #expect(histogram.cut(removing: 2_000_000).through >= 99_999 * 977)
        #expect(histogram.cut(removing: 0).through == .min)
    }
}
