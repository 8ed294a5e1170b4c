import Testing

@testable import ShaleBench

struct WindowsTests {
    @Test func joiningKeepsTheLongestOperation() {
        var longest = [Double](repeating: 5, count: 1000)
        longest[777] = 90_000
        let windows = Windows(
            ResultTimeline(
                intervalSeconds: 0.1, perSecond: .init(repeating: 10, count: 1000), longestMicroseconds: longest),
            limit: 100)
        #expect(windows.perSecond == .init(repeating: 10, count: 100))
        #expect(windows.interval == 1)
        #expect(windows.longest[77] == 90_000)
    }

    @Test func shortTimelinesStayAsTheyAre() {
        let windows = Windows(ResultTimeline(intervalSeconds: 0.1, perSecond: [1, 2], longestMicroseconds: [3, 4]))
        #expect(windows.perSecond == [1, 2])
        #expect(windows.longest == [3, 4])
    }
}
