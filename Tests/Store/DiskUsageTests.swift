import Shale
import ShalePlatform
import TestSupport
import Testing

/// The bytes that a purge reports as returned are the bytes that `du` shows, on a real file system.
///
/// Logs, manifests and the reserve are included.
@Suite struct DiskUsageTests {
    private static let blockBytes: Int64 = 4096

    /// Returns a small store of segments and a log, or one of the usual sizes with all entries in the log.
    private static func fixture(isSmall: Bool) throws -> StoreFixture {
        let fixture = try StoreFixture(isSmall: isSmall)
        try fill(fixture, 0..<20_000)
        if isSmall {
            // No background compaction or deletion is pending when the measurement begins.
            try fixture.store.engine.compact()
            _ = try fixture.segmentBytes()
            try fill(fixture, 20_000..<20_200)
        }
        return fixture
    }

    private static func fill(_ fixture: StoreFixture, _ numbers: Range<Int>) throws {
        let random = SeededRandom(seed: 3)
        for index in numbers {
            let options: ValueOptions = index % 4 == 0 ? [] : .purgeable
            try fixture["n"].set(random.bytes(100), forKey: "key \(index)", options)
        }
    }

    private static func check(_ fixture: StoreFixture, _ purge: () throws -> PurgeReport) throws {
        let before = try fixture.diskUsage()
        let report = try purge()
        let after = try fixture.diskUsage()
        let difference = report.returnedBytes - (before.bytes - after.bytes)
        #expect(abs(difference) <= Int64(after.files) * blockBytes, "\(before) \(after) \(report)")
    }

    @Test(arguments: [true, false], [PurgeRule.everything, .policies])
    func theReportIsWhatTheDiskShows(isSmall: Bool, rule: PurgeRule) throws {
        let fixture = try Self.fixture(isSmall: isSmall)
        try fixture["n"].setOptions(NamespaceOptions(purgePolicy: .capacity(100_000)))
        for _ in 0..<3 { try Self.check(fixture) { try fixture.store.purge(by: rule) } }
        try fixture["n"].drop()
        try Self.check(fixture) { try fixture.store.purge() }
    }
}
