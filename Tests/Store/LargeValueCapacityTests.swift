import Shale
import ShaleEngine
import ShalePlatform
import TestSupport
import Testing

/// Capacities count the bytes of values in value files, and applying them reads no whole value.
@Suite struct LargeValueCapacityTests {
    private static let bytes = 100_000

    private func fixture(_ enforcement: PurgePolicy.Enforcement) throws -> StoreFixture {
        let fixture = try StoreFixture(isInMemory: true, largeValueBytes: 1000)
        try fixture["n"].setOptions(
            NamespaceOptions(
                isPurgeable: true,
                purgePolicy: PurgePolicy(maximumBytes: 10 * Int64(Self.bytes + 100), enforcement: enforcement)))
        return fixture
    }

    private func fill(_ fixture: StoreFixture, _ range: Range<Int>, isStreamed: Bool = false) throws {
        for index in range {
            let value = [UInt8](repeating: UInt8(index), count: Self.bytes)
            if isStreamed {
                try fixture["n"].setBytes(inPieces: [value], forKey: "k\(100 + index)")
            } else {
                try fixture["n"].set(value, forKey: "k\(100 + index)")
            }
            fixture.time.advance(milliseconds: 1000)
        }
    }

    @Test(arguments: [false, true]) func aPolicyRemovesTheOldestLargeValues(isFlushed: Bool) throws {
        let fixture = try fixture(.atIntervals)
        try fill(fixture, 0..<20)
        if isFlushed { try fixture.store.engine.flush() }
        try fixture.store.purge(by: .policies)
        #expect(try fixture["n"].keys.array() == (15..<20).map { EntryKey("k\(100 + $0)") })
        try fixture.store.purge(by: .policies)
        #expect(try fixture["n"].count() == 5, "what fits is kept")
    }

    @Test(arguments: [false, true]) func anEnforcedCapacityHoldsWithEachWrite(isStreamed: Bool) throws {
        let fixture = try fixture(.onWrite)
        for index in 0..<25 {
            try fill(fixture, index..<index + 1, isStreamed: isStreamed)
            #expect(try fixture["n"].count() <= 10)
        }
        #expect(try fixture["n"].contains("k124"))
        try fixture.reopen()
        try fill(fixture, 25..<40, isStreamed: isStreamed)
        #expect(try fixture["n"].count() <= 10)
        let tooLarge = [UInt8](repeating: 1, count: 2_000_000)
        #expect(
            code { () throws(StorageError) in try fixture["n"].setBytes(inPieces: [tooLarge], forKey: "large") }
                == .invalidArgument)
        #expect(try !fixture["n"].contains("large"))
    }
}
