import Shale
import ShalePlatform
import Synchronization
import TestSupport
import Testing

@Suite struct PhysicalPurgeTests {
    private static func filled(count: Int = 4000) throws -> StoreFixture {
        let fixture = try StoreFixture(isSmall: true)
        let random = SeededRandom(seed: 3)
        for index in 0..<count {
            let options: ValueOptions = index % 4 == 0 ? [] : .purgeable
            try fixture["n"].set(random.bytes(100), forKey: "key \(index)", options: options)
        }
        try fixture.store.engine.flush()
        try fixture.store.engine.compact()
        return fixture
    }

    @Test func theReportIsWhatTheDiskShows() throws {
        let fixture = try Self.filled()
        let before = try fixture.segmentBytes()
        let usage = try fixture.diskUsage()
        let estimate = try fixture.store.purgeDryRun()
        #expect(estimate.isEstimate && estimate.entries == 3000)
        #expect(try fixture["n"].count() == 4000)
        var fractions: [Double] = []
        let report = try fixture.store.purge { (progress) in fractions.append(progress.fraction) }
        #expect(report.entries == 3000)
        #expect(report.logicalBytes == estimate.logicalBytes)
        let after = try fixture.segmentBytes()
        let left = try fixture.diskUsage()
        #expect(abs(report.returnedBytes - (usage.bytes - left.bytes)) <= Int64(left.files) * 4096)
        #expect(after < before / 3)
        #expect(abs(Double(estimate.returnedBytes) / Double(report.returnedBytes) - 1) < 0.1)
        #expect(fractions == fractions.sorted() && fractions.last == 1)
        try fixture.reopen()
        #expect(try fixture["n"].count() == 1000)
        let again = try fixture.store.purge()
        #expect(again.entries == 0 && again.logicalBytes == 0)
    }

    @Test func progressTellsPhaseAndTime() throws {
        let fixture = try Self.filled()
        fixture.store.registerPurgeable(named: "nothing") { (_) in PurgeHandlerResult(files: 0, returnedBytes: 0) }
        try fixture["n"].setOptions(NamespaceOptions(purgePolicy: .capacity(100_000)))
        for (rule, phases) in [
            (PurgeRule.policies, [PurgeProgress.Phase.removing, .reclaiming]), (.everything, [.outside, .reclaiming]),
        ] {
            var steps: [PurgeProgress] = []
            try fixture.store.purge(by: rule) { (progress) in
                // Each step takes 20 ms.
                fixture.time.advance(milliseconds: 20)
                steps.append(progress)
            }
            let told = steps.map(\.phase)
            #expect(phases.allSatisfy(told.contains) && told == phases.flatMap { phase in told.filter { $0 == phase } })
            #expect(steps.last?.estimatedRemaining == .zero)
            // The estimate uses the speed so far.
            for (index, step) in steps.enumerated() where step.fraction > 0 && step.fraction < 1 {
                let elapsed = 0.02 * Double(index - told.count { $0 == .outside })
                let expected = elapsed * (1 - step.fraction) / step.fraction
                let rest = try #require(step.estimatedRemaining) / .seconds(1)
                #expect(abs(rest - expected) < 0.001)
            }
        }
    }

    @Test func aPurgeCanBeCancelledAndLosesNothing() throws {
        let fixture = try Self.filled()
        let found = code { () throws(StorageError) in
            try fixture.store.purge { (_) throws(StorageError) in throw StorageError(.cancelled, "enough") }
        }
        #expect(found == .cancelled)
        #expect(try fixture["n"].count() == 1000)
        try fixture.store.purge()
        #expect(try fixture.store.purgeDryRun().entries == 0)
        try fixture.reopen()
        #expect(try fixture["n"].count() == 1000)
    }

    /// Closing would wait for the compaction, which waits for this progress call.
    @Test func itsProgressCannotClose() throws {
        let fixture = try Self.filled()
        var codes: [StorageError.Code?] = []
        let report = try fixture.store.purge { (step) in
            guard step.fraction < 1 else { return }
            codes.append(code { () throws(StorageError) in try fixture.store.close() })
        }
        #expect(!codes.isEmpty && codes.allSatisfy { $0 == .invalidArgument })
        #expect(try report.entries == 3000 && fixture["n"].count() == 1000, "the store is open")
        try fixture.reopen()
    }

    @Test func aTaskPurgesWithoutBlockingItsThread() async throws {
        let fixture = try Self.filled()
        let steps = Atomic(0)
        let report = try await fixture.store.purge(.common) { (_) in steps.wrappingAdd(1, ordering: .relaxed) }
        #expect(report.entries == 3000 && report.returnedBytes > 0)
        #expect(steps.load(ordering: .relaxed) > 0)
    }

    @Test func aCancelledTaskCancelsItsPurge() async throws {
        let fixture = try Self.filled()
        let store = fixture.store
        let task = Task { () async throws(StorageError) -> PurgeReport in try await store.purge() }
        task.cancel()
        let result = await task.result
        // The purge may not have begun, or finish before it notices the cancellation. In no case is an entry lost that
        // is not purgeable.
        if case .failure(let error) = result { #expect((error as? StorageError)?.code == .cancelled) }
        let count = try fixture["n"].count()
        #expect(count == 1000 || (count == 4000 && (try? result.get()) == nil))
    }

    @Test func aDropGivesItsSpaceBackWithTheNextPurge() throws {
        let fixture = try Self.filled()
        try fixture["n"].drop()
        let report = try fixture.store.purge()
        #expect(report.entries == 0)
        try fixture.reopen()
        #expect(try fixture.segmentBytes() == 0)
    }
}

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
            // No background compaction or deletion is pending when the measurement begins. `reclaim` also waits for
            // readers that keep replaced files.
            try fixture.store.engine.compact()
            try fixture.store.engine.reclaim()
            _ = try fixture.segmentBytes()
            try fill(fixture, 20_000..<20_200)
        }
        return fixture
    }

    private static func fill(_ fixture: StoreFixture, _ numbers: Range<Int>) throws {
        let random = SeededRandom(seed: 3)
        for index in numbers {
            let options: ValueOptions = index % 4 == 0 ? [] : .purgeable
            try fixture["n"].set(random.bytes(100), forKey: "key \(index)", options: options)
        }
    }

    private static func check(_ fixture: StoreFixture, _ purge: () throws -> PurgeReport) throws {
        // The background work of the writes above also gives space back, which is not the purge's.
        let before = try fixture.diskUsageAtRest()
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
