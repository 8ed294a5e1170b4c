import ShaleBase
import ShaleManifest
import TestSupport
import Testing

@testable import ShaleEngine
@testable import ShalePlatform

/// Readings that are doubted or discarded are reported.
@Suite struct ClockReportTests {
    private typealias Jump = ClockJumpTests

    /// Closes the store, moves the wall clock and opens the store again.
    private static func reopen(_ store: TestStore, at wall: Int64) throws -> RecoveryReport {
        try store.engine.close()
        store.time.wallMilliseconds = wall
        try store.reopen()
        return store.engine.recovery
    }

    @Test func aSteadyClockHasNothingToReport() throws {
        let (store, _) = try Jump.store()
        let report = try Self.reopen(store, at: Jump.today + Jump.day)
        #expect(report.clockDoubt == nil && report.discardedClock == .zero)
        #expect(store.engine.statistics.clockDoubt == nil)
        #expect(store.engine.trustedMilliseconds == store.engine.wallMilliseconds)
    }

    @Test func openingReportsAReadingAheadAndThatItWasGivenUp() throws {
        let (store, _) = try Jump.store()
        let ahead = try Self.reopen(store, at: Jump.today + Jump.year)
        #expect(ahead.clockDoubt == .ahead(by: .milliseconds(Jump.year)))
        #expect(store.engine.statistics.clockDoubt == .ahead(by: .milliseconds(Jump.year)))
        #expect(store.engine.trustedMilliseconds == Jump.today)
        let back = try Self.reopen(store, at: Jump.today)
        #expect(back.clockDoubt == nil)
        #expect(back.discardedClock == .milliseconds(Jump.year))
        #expect(store.engine.statistics.clockCorrections == 1)
        let again = try Self.reopen(store, at: Jump.today)
        #expect(again.discardedClock == .zero)
    }

    @Test func openingReportsAReadingBehind() throws {
        let (store, _) = try Jump.store()
        store.time.advance(milliseconds: UInt64(2 * Jump.day))
        let report = try Self.reopen(store, at: 0)
        #expect(report.clockDoubt == .behind(by: .milliseconds(Jump.today + 2 * Jump.day)))
        #expect(store.engine.wallMilliseconds == Jump.today + 2 * Jump.day)
    }

    @Test func aRunningStoreSendsEvents() async throws {
        let store = try TestStore(scheduling: .threads, time: ManualTime(wallMilliseconds: Jump.today))
        var events = store.engine.events.makeAsyncIterator()
        store.time.wallMilliseconds += 75 * Jump.year
        _ = store.engine.trustedMilliseconds
        var doubted: ClockDoubt?
        while doubted == nil, let event = await events.next() {
            if case .clockDoubted(let doubt) = event { doubted = doubt }
        }
        #expect(doubted == .ahead(by: .milliseconds(75 * Jump.year)))
        // The engine does not show a reading that is so far ahead. It shows a smaller jump, and takes it back.
        store.time.wallMilliseconds = Jump.today + Jump.year
        _ = store.engine.wallMilliseconds
        store.time.wallMilliseconds = Jump.today
        _ = store.engine.wallMilliseconds
        var back: Duration?
        while back == nil, let event = await events.next() {
            if case .clockSetBack(let duration) = event { back = duration }
        }
        #expect(back == .milliseconds(Jump.year))
        try store.engine.close()
    }

    /// A store of an older version that knew only the floor, in which a wrong reading was stored.
    @Test func aFloorOfAnOlderVersionThatIsAheadIsGivenUp() throws {
        var state = StoreState()
        state.clockFloor = Jump.today + 75 * Jump.year
        let (clock, change) = state.clock(at: Jump.today)
        #expect(clock.shown == Jump.today && clock.trusted == Jump.today)
        #expect(change?.discardedMilliseconds == 75 * Jump.year)
        state.clockFloor = Jump.today
        #expect(state.clock(at: Jump.today - Jump.hour).0.shown == Jump.today)
        // The floor is not discarded for a machine without a clock battery either.
        #expect(state.clock(at: 0).0.shown == Jump.today)
    }

    @Test func aDiscardedReadingIsNotStoredAgain() throws {
        let (store, _) = try Jump.store()
        _ = try Self.reopen(store, at: Jump.today + Jump.year)
        _ = try Self.reopen(store, at: Jump.today)
        let state = try #require(store.engine.core.manifest?.state)
        #expect(state.clockFloor == Jump.today && state.clock?.shown == Jump.today && state.clock?.doubt == nil)
        try store.engine.close()
    }
}
