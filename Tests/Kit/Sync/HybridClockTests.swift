import ShalePlatform
import ShaleSync
import Testing

/// The clock of stamps.
@Suite struct HybridClockTests {
    private let time = ManualTime(wallMilliseconds: 1_000_000)

    @Test func stampsRiseInOneMillisecondAndWhenTheClockIsSetBack() {
        let clock = HybridClock(time: time)
        let first = clock.next()
        let second = clock.next()
        time.wallMilliseconds -= 500
        let third = clock.next()
        #expect([first.time, second.time, third.time] == [1_000_000, 1_000_000, 1_000_000])
        #expect([first.count, second.count, third.count] == [0, 1, 2])
    }

    @Test func aChangeThatFollowsAnotherHasAGreaterStamp() {
        let clock = HybridClock(time: time)
        clock.saw(SyncStamp(time: 1_000_400, count: 8, client: "other"))
        let next = clock.next()
        #expect(next.time == 1_000_400)
        #expect(next.count == 9)
    }

    @Test func theServersTimeIsTakenOverBeyondTheTolerance() {
        let clock = HybridClock(time: time)
        clock.measured(1_000_900, duration: 0)
        #expect(clock.now == 1_000_000)
        clock.measured(9_000_000, duration: 100)
        #expect(clock.now == 9_000_050)
        #expect(clock.corrected(1_000_000, offset: 0) == 9_000_050)
    }

    @Test func aSlowReplyDoesNotMoveTheClock() {
        let clock = HybridClock(time: time)
        clock.measured(970_000, duration: 60_000)
        #expect(clock.now == 1_000_000)
    }

    @Test func aClockThatRanAheadStartsAgainAtTheServersTime() {
        let clock = HybridClock(time: time)
        clock.saw(SyncStamp(time: 99_000_000, count: 0, client: "other"))
        clock.measured(1_000_000, duration: 0)
        #expect(clock.next().time == 1_000_000)
    }

    @Test func theStateSurvivesARestart() {
        let clock = HybridClock(time: time)
        clock.measured(9_000_000, duration: 0)
        let last = clock.next()
        let next = HybridClock(time: time, state: clock.state).next()
        #expect((next.time, next.count) == (last.time, last.count + 1))
    }
}
