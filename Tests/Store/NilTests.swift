import Shale
import Testing

@Suite struct NilTests {
    @Test func settingNilRemoves() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        for key in ["a", "b", "c"] { try namespace.set(1, forKey: key) }
        let none: Int? = nil
        let nothing: [String]? = nil
        try namespace.set(none, forKey: "a")
        try namespace.set(nothing, forKey: "b")
        try namespace.set(nil, forKey: "c")
        #expect(try namespace.count() == 0)
        try namespace.set(1, forKey: "d")
        try fixture.store.write { (batch) throws(StorageError) in try batch.set(none, forKey: "d", in: namespace) }
        #expect(try !namespace.contains("d"))
    }
}
