import ShalePlatform
import Testing

@Suite struct TimeTests {
    @Test func systemClocksRun() {
        let time = SystemTime()
        let first = time.monotonicNanoseconds
        #expect(time.monotonicNanoseconds >= first)
        #expect(time.wallMilliseconds > 1_700_000_000_000)
    }

    @Test func manualClocksMoveOnlyWhenTold() {
        let time = ManualTime(wallMilliseconds: 1_000, monotonicNanoseconds: 5)
        #expect(time.wallMilliseconds == 1_000)
        time.advance(milliseconds: 20)
        #expect(time.wallMilliseconds == 1_020)
        #expect(time.monotonicNanoseconds == 20_000_005)
        time.wallMilliseconds = 7
        time.advance(nanoseconds: 3)
        #expect(time.wallMilliseconds == 7)
        #expect(time.monotonicNanoseconds == 20_000_008)
    }
}
