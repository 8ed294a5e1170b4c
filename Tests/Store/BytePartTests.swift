import Shale
import ShaleEngine
import TestSupport
import Testing

/// Ranges of stored bytes, from any reader.
@Suite struct BytePartTests {
    private func content(_ length: Int) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
    }

    /// `isLarge`: the values are in value files. `isTimed`: their headers have the time of writing.
    @Test(arguments: [false, true], [false, true])
    func aRangeIsThatOfTheStoredBytes(isLarge: Bool, isTimed: Bool) throws {
        let fixture = try StoreFixture(isInMemory: true, largeValueBytes: isLarge ? 64 : 0)
        let namespace = fixture["n"]
        if isTimed {
            try namespace.setOptions(
                NamespaceOptions(isPurgeable: true, purgePolicy: PurgePolicy(maximumAge: .seconds(1000))))
        }
        for length in [0, 1, 100, 70_000, 200_000] {
            let key = "\(length)"
            try namespace.set(content(length), forKey: key)
            let snapshot = try fixture.store.snapshot()
            try fixture.store.transaction { (transaction) throws(StorageError) in
                for range in [0..<0, 0..<1, 10..<90, 65_530..<65_545, 0..<Int.max, length..<length + 9] {
                    let expected = Array(content(length)[range.clamped(to: 0..<length)])
                    #expect(try namespace.bytes(forKey: key, in: range) == expected, "\(length): \(range)")
                    #expect(try snapshot[namespace].bytes(forKey: key, in: range) == expected)
                    #expect(try transaction[namespace].bytes(forKey: key, in: range) == expected)
                }
            }
        }
        #expect(try namespace.bytes(forKey: "missing", in: 0..<10) == nil)
    }

    @Test func aTransactionReadsRangesOfItsOwnWrites() throws {
        let fixture = try StoreFixture(isInMemory: true, largeValueBytes: 64)
        let namespace = fixture["n"]
        try namespace.set(content(100_000), forKey: "a")
        try fixture.store.transaction { (transaction) throws(StorageError) in
            try transaction.set([1, 2, 3] as [UInt8], forKey: "a", in: namespace)
            #expect(try transaction[namespace].bytes(forKey: "a", in: 1..<100) == [2, 3])
            try transaction.remove("a", in: namespace)
            #expect(try transaction[namespace].bytes(forKey: "a", in: 1..<100) == nil)
        }
    }

    @Test func otherTypesAndRangesBelowZeroAreRefused() throws {
        let fixture = try StoreFixture(isInMemory: true, largeValueBytes: 64)
        let namespace = fixture["n"]
        try namespace.set(String(repeating: "text ", count: 100), forKey: "large")
        try namespace.set("text", forKey: "small")
        for key in ["large", "small"] {
            #expect(code { () throws(StorageError) in try namespace.bytes(forKey: key, in: 0..<9) } == .typeMismatch)
            #expect(
                code { () throws(StorageError) in try namespace.bytes(forKey: key, in: -1..<9) } == .invalidArgument)
        }
    }
}
