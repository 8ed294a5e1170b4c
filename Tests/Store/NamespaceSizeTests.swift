import Shale
import Testing

/// The size of a namespace is known without a scan.
@Suite struct NamespaceSizeTests {
    @Test func aNamespacesSizeIsKnownWithoutAWalk() throws {
        let fixture = try StoreFixture()
        #expect(try fixture["n"].statistics == nil)
        for index in 0..<500 { try fixture["n"].set("value", forKey: "k\(100 + index)", index < 200 ? .purgeable : []) }
        try fixture["other"].set("value", forKey: "k")
        // Before a flush and after it: every key has 4 bytes, and every value has 5 bytes behind a header of 2.
        for _ in 0..<2 {
            let statistics = try #require(try fixture["n"].statistics)
            #expect(statistics.entries == 500 && statistics.purgeable == 200)
            #expect(statistics.rawBytes >= 500 * (4 + 5) && statistics.rawBytes <= 500 * (4 + 5 + 2 + 4))
            try fixture.store.engine.flush()
        }
        for index in 0..<100 { try fixture["n"].remove("k\(100 + index)") }
        try fixture.store.engine.compact()
        let statistics = try #require(try fixture["n"].statistics)
        #expect(statistics.entries == 400 && statistics.deletes == 0)
        #expect(try fixture["n"].count() == 400)
    }
}
