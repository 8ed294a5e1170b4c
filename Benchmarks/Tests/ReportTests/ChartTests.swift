import Formatting
import Testing

@testable import ShaleBench

struct PlotScaleTests {
    @Test func linearBeginsAtZero() {
        let scale = PlotScale.linear(to: 80)
        #expect(scale.position(0) == 0)
        #expect(scale.position(40) == 0.5)
        #expect(scale.position(200) == 1)
        #expect(scale.ticks(4, label: Format.digits).map(\.label) == ["0", "20", "40", "60", "80"])
    }

    @Test func logarithmicGivesDecadesTheSameRoom() {
        let scale = PlotScale.logarithmic(around: [3, 700])
        #expect(scale.low == 1)
        #expect(scale.high == 1000)
        #expect(abs(scale.position(10) - 1.0 / 3) < 1e-9)
        #expect(scale.position(0) == 0)
    }

    @Test func logarithmicOfNothingIsOneDecade() {
        let scale = PlotScale.logarithmic(around: [])
        #expect(scale.high > scale.low)
        #expect(PlotScale.logarithmic(around: [100]).high > PlotScale.logarithmic(around: [100]).low)
    }
}

struct SizePlotTests {
    @Test func throughputIsDrawnAsTheTimeOfAnOperation() throws {
        let figures = Figures(
            Sample.file([
                Sample.row("shale", "readrandom", perSecond: 1_000_000, entries: 1000),
                Sample.row("shale", "readrandom", perSecond: 250_000, entries: 1_000_000),
            ]))
        let plot = SizePlot(family: try #require(figures.sizeFamilies.first), measure: .perSecond).plot
        #expect(plot.lines.first?.points.map(\.y) == [1, 4])
    }
}

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
