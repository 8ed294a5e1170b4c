import Testing

@testable import ShaleEngine

@Suite struct LogPaceTests {
    private static let millisecond: UInt64 = 1_000_000

    @Test func aBurstIsSeenAtOnceAndItsEndAfterAPeriod() {
        var pace = LogPace()
        let looks: [(written: UInt64, milliseconds: UInt64)] = [
            (0, 0), (100, 100), (2 << 20, 105), (2 << 20, 205), (2 << 20, 305),
        ]
        let activities = looks.map { pace.observe($0.written, at: $0.milliseconds * LogPaceTests.millisecond) }
        #expect(activities == [.slow, .slow, .busy, .busy, .none])
    }

    /// A slow writer does not cause a whole log's space to be reserved, however long it writes.
    @Test func aTrickleIsNoBurst() {
        var pace = LogPace()
        for look in 0..<200 as Range<UInt64> {
            let activity = pace.observe(look * (100 << 10), at: look * 100 * LogPaceTests.millisecond)
            #expect(activity == .slow)
        }
    }

    @Test func steadyWritersStayBusyAtEveryLook() {
        var pace = LogPace()
        _ = pace.observe(0, at: 0)
        for look in 1..<200 as Range<UInt64> {
            let activity = pace.observe(look * (1 << 20), at: look * 50 * LogPaceTests.millisecond)
            #expect(activity == .busy)
        }
    }

    @Test func restEndsWithTheFirstWrite() {
        var pace = LogPace()
        let looks: [(written: UInt64, milliseconds: UInt64)] = [
            (0, 0), (0, 200), (1, 210), (1, 350), (1, 450), (1, 700),
        ]
        let activities = looks.map { pace.observe($0.written, at: $0.milliseconds * LogPaceTests.millisecond) }
        #expect(activities == [.slow, .none, .slow, .slow, .slow, .none])
    }
}
