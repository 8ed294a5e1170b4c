import Shale
import ShalePlatform
import Testing

/// A dry run reports the effect of the purge that follows, and changes nothing.
@Suite struct DryRunTests {
    private static func filled() throws -> StoreFixture {
        let fixture = try StoreFixture(isSmall: true)
        let random = SeededRandom(seed: 4)
        for index in 0..<3000 {
            let options: ValueOptions = index % 3 == 0 ? [] : .purgeable
            try fixture["a"].set(random.bytes(100), forKey: "key \(index)", options: options)
            try fixture.store.user("u")["b"].set(random.bytes(50), forKey: "key \(index)", options: options)
        }
        try fixture.store.engine.flush()
        try fixture.store.engine.compact()
        return fixture
    }

    @Test func everyScopeSaysWhatItWillDo() throws {
        let fixture = try Self.filled()
        let user = fixture.store.user("u")
        for scope in [PurgeScope.namespace(fixture["a"]), .user("u"), .all] {
            let bytes = try fixture.segmentBytes()
            let estimate = try fixture.store.purgeDryRun(scope)
            #expect(try fixture.segmentBytes() == bytes)
            let counts = (try fixture["a"].count(), try user["b"].count())
            #expect(try (fixture["a"].count(), user["b"].count()) == counts)
            let report = try fixture.store.purge(scope)
            #expect(estimate.isEstimate && !report.isEstimate)
            #expect(estimate.entries == report.entries && estimate.logicalBytes == report.logicalBytes, "\(scope)")
            if report.entries > 0 {
                let share = Double(estimate.returnedBytes) / Double(report.returnedBytes)
                #expect(abs(share - 1) < 0.2, "\(scope): \(estimate) and \(report)")
            }
        }
        #expect(try fixture["a"].count() == 1000 && user["b"].count() == 1000)
    }

    @Test func aDryRunOfPoliciesTakesNothing() throws {
        let fixture = try Self.filled()
        let policy = PurgePolicy.capacity(50_000)
        try fixture["a"].setOptions(NamespaceOptions(purgePolicy: policy))
        let estimate = try fixture.store.purgeDryRun(.all, by: .policies)
        #expect(try fixture["a"].count() == 3000)
        let report = try fixture.store.purge(.all, by: .policies)
        #expect(report.entries == estimate.entries && report.logicalBytes == estimate.logicalBytes)
        let left = try fixture["a"].count()
        #expect(report.entries > 0 && UInt64(left) == 3000 - report.entries)
    }
}
