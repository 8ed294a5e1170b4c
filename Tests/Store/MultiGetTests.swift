import Shale
import ShalePlatform
import TestSupport
import Testing

/// Several keys in one call.
@Suite struct MultiGetTests {
    private struct Point: Codable, Equatable { var x: Int }

    @Test func valuesComeInTheOrderOfTheKeys() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        for (index, key) in ["a", "b", "c"].enumerated() {
            try namespace.set(index, forKey: key)
            try namespace.set(Point(x: index), forKey: "point " + key)
        }
        #expect(try namespace.values(forKeys: ["c", "missing", "a", "c"], as: Int.self) == [2, nil, 0, 2])
        #expect(try namespace.values(forKeys: ["point b", "none"], as: Point.self) == [Point(x: 1), nil])
        #expect(try namespace.values(forKeys: [String](), as: Int.self).isEmpty)
        #expect(try fixture["missing"].values(forKeys: ["a", "b"], as: Int.self) == [nil, nil])
        let keys = try namespace.keys(prefix: "point").array()
        #expect(try namespace.values(forKeys: keys, as: Point.self).compactMap { $0?.x } == [0, 1, 2])
        #expect(try namespace.values(forKeys: Set(["a"]), as: Int.self) == [0])
    }

    @Test func anErrorIsNotAMissingKey() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "a")
        try namespace.set("text", forKey: "b")
        #expect(
            code { () throws(StorageError) in _ = try namespace.values(forKeys: ["a", "b"], as: Int.self) }
                == .typeMismatch)
        #expect(
            code { () throws(StorageError) in _ = try namespace.values(forKeys: ["a", "b"], as: Point.self) }
                == .typeMismatch)
        let long = String(repeating: "x", count: 20_000)
        #expect(
            code { () throws(StorageError) in _ = try namespace.values(forKeys: ["a", long], as: Int.self) }
                == .invalidArgument)
    }

    /// A writer changes both keys together, so a call never sees one old and one new.
    @Test func allValuesAreOfOneMoment() async throws {
        let fixture = try StoreFixture()
        let (store, namespace) = (fixture.store, fixture["n"])
        try await store.write { (batch) throws(StorageError) in
            for key in ["a", "b"] { try batch.set(0, forKey: key, in: namespace) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for value in 1...2000 {
                    try store.write { (batch) throws(StorageError) in
                        for key in ["a", "b"] { try batch.set(value, forKey: key, in: namespace) }
                    }
                }
            }
            group.addTask {
                for _ in 0..<2000 {
                    let found = try namespace.values(forKeys: ["a", "b"], as: Int.self)
                    #expect(found[0] == found[1])
                }
            }
            try await group.waitForAll()
        }
    }
}
