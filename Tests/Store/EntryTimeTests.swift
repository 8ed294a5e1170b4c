import Foundation
import TestSupport
import Testing

@testable import Shale

/// The time of writing in the header of values.
@Suite struct WriteTimeTests {
    private static func fixture() throws -> StoreFixture {
        let fixture = try StoreFixture()
        try fixture["n"].setOptions(NamespaceOptions(purgePolicy: .age(.seconds(1 * 86_400))))
        return fixture
    }

    @Test func everyWayOfWritingKeepsIt() throws {
        let fixture = try Self.fixture()
        let namespace = fixture["n"]
        let now = Date(timeIntervalSince1970: Double(fixture.time.wallMilliseconds) / 1000)
        try namespace.set(1, forKey: "scalar")
        try namespace.set([1, 2], forKey: "codable")
        try fixture.store.write { (batch) throws(StorageError) in try batch.set("b", forKey: "batch", in: namespace) }
        try fixture.store.transaction { (transaction) throws(StorageError) in
            try transaction.set("t", forKey: "transaction", in: namespace)
        }
        fixture.time.advance(milliseconds: 5000)
        try fixture.reopen()
        for key in ["scalar", "codable", "batch", "transaction"] {
            let info = try #require(try fixture["n"].info(forKey: key))
            #expect(info.writtenAt == now)
        }
        #expect(try fixture["n"].int(forKey: "scalar") == 1)
        #expect(try fixture["n"].value(forKey: "codable", as: [Int].self) == [1, 2])
        #expect(try fixture["n"].info(forKey: "scalar")?.payloadByteCount == 8)
        #expect(try fixture["n"].entries.map { $0.key.string }.count == 4)
    }

    @Test func otherNamespacesDoWithout() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(1, forKey: "k")
        #expect(try fixture["n"].info(forKey: "k")?.writtenAt == nil)
    }

    @Test func damagedHeadersAreErrors() throws {
        let fixture = try Self.fixture()
        let whole: [UInt8] = [4, 2, 10, 0, 1, 8, 1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0]
        try fixture.plant(whole, forKey: "k", in: "n")
        #expect(try fixture["n"].int(forKey: "k") == 5)
        #expect(try fixture["n"].info(forKey: "k")?.writtenAt == Date(timeIntervalSince1970: 0.001))
        for count in 2..<14 {
            try fixture.plant(Array(whole.prefix(count)), forKey: "k", in: "n")
            #expect(code { () throws(StorageError) in try fixture["n"].int(forKey: "k") } == .corruption)
            #expect(code { () throws(StorageError) in try fixture["n"].info(forKey: "k") } == .corruption)
        }
        let cases: [([UInt8], StorageError.Code?)] = [
            // A field of an unknown kind: required, optional; too short, too long; codec 0; flags.
            ([4, 2, 2, 0, 9, 0] + whole.suffix(8), .newerFormat),
            ([4, 2, 2, 0, 0x89, 0] + whole.suffix(8), nil), ([4, 2, 9, 0, 1, 7] + whole.suffix(16), .corruption),
            ([4, 2, 11, 0, 1, 9] + whole.suffix(17), .corruption), ([0] + whole.dropFirst(), .corruption),
            ([4, 4] + whole.dropFirst(2), .newerFormat), ([4, 6] + whole.dropFirst(2), .newerFormat),
        ]
        for (bytes, expected) in cases {
            try fixture.plant(bytes, forKey: "k", in: "n")
            #expect(code { () throws(StorageError) in try fixture["n"].int(forKey: "k") } == expected, "\(bytes)")
        }
    }
}

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
