import Formatting
import Pages

/// Throughput over time under sustained load: for each writing workload, the settings that ran longest.
struct TimelineSection {
    let figures: Figures

    private struct Course {
        let contender: Contender
        let windows: Windows
    }

    var section: Section {
        let chosen = figures.workloads.compactMap(longest)
        return Section(
            id: "timeline", title: "Throughput over time",
            content: .group([
                tag("p") {
                    "The repetition in the middle, each store from beginning to end: the scale of time is its own, the "
                        + "other scales are the same for all stores of a workload. Above: operations per second. "
                        + "Below: the longest operation that ended in the window, logarithmic; those of 20 ms and more "
                        + "are red. Windows in which no operation ended are shaded over their whole height."
                },
                chosen.isEmpty ? tag("p") { "No timelines in this run." } : .group(chosen.map(strips)),
            ]))
    }

    /// Returns the largest setting of a workload with a timeline of at least 5 windows.
    private func longest(_ workload: String) -> Comparison? {
        figures.comparisons(of: workload).filter { comparison in
            courses(comparison).contains { $0.windows.perSecond.count >= 5 }
        }.max { $0.setting.entries < $1.setting.entries }
    }

    private func courses(_ comparison: Comparison) -> [Course] {
        comparison.series.compactMap { series in
            series.typical?.timeline.map { Course(contender: series.contender, windows: Windows($0)) }
        }
    }

    private func strips(_ comparison: Comparison) -> Markup {
        let courses = courses(comparison)
        let throughput = PlotScale.linear(to: courses.flatMap(\.windows.perSecond).max() ?? 1)
        let longest = PlotScale.logarithmic(around: courses.flatMap(\.windows.longest))
        return tag("figure", ["class": "card wide"]) {
            tag("figcaption") {
                tag("strong") { comparison.setting.workload }
                tag("span", ["class": "quiet"]) { " " + comparison.setting.details }
            }
            for course in courses {
                TimelineStrip(
                    contender: course.contender, windows: course.windows, throughput: throughput,
                    longest: longest
                ).markup
            }
        }
    }
}

/// The course of one contender's run: throughput above, the longest operation of each window below. Windows in which no
/// operation ended are shaded.
struct TimelineStrip {
    let contender: Contender
    let windows: Windows
    /// The same for all strips of a setting, so that they are comparable.
    let throughput: PlotScale
    let longest: PlotScale

    private var seconds: PlotScale { .linear(to: windows.seconds) }

    private static let upper = 90.0
    private static let lower = 56.0
    private static let top = 20.0
    private static let gap = 22.0
    private static let lowerTop = top + upper + gap
    private static let bottom = lowerTop + lower

    /// Longer operations are highlighted: the bar for the longest write.
    private static let stallMicroseconds = 20_000.0

    var markup: Markup {
        SVG.chart(
            "\(contender.name) over time", description: windows.description, height: TimelineStrip.bottom + 20,
            style: "strip"
        ) {
            SVG.text(contender.name, x: 0, y: 12, style: contender.isShale ? "name strong" : "name")
            SVG.text(summary, x: 1, y: 12, anchor: "end", style: "value")
            grid
            SVG.field(y: TimelineStrip.top, height: TimelineStrip.upper) {
                SVG.path(stops, style: "stopped")
                SVG.path(area, style: "area " + Palette.style(contender))
            }
            SVG.field(y: TimelineStrip.lowerTop, height: TimelineStrip.lower) {
                SVG.path(needles { $0 < TimelineStrip.stallMicroseconds }, style: "needle")
                SVG.path(needles { $0 >= TimelineStrip.stallMicroseconds }, style: "needle stall")
            }
            labels
        }
    }

    private var summary: String {
        "\(Format.digits(windows.seconds))\u{A0}s, longest "
            + "\(Format.duration(microseconds: windows.longest.max() ?? 0)), slowest "
            + "\(Format.short(windows.perSecond.min() ?? 0))/s"
    }

    private var grid: Markup {
        .group(
            throughput.ticks(2, label: Format.short).map { across(TimelineStrip.top + down($0.value)) }
                + longest.ticks(3, label: Format.short).map { across(TimelineStrip.lowerTop + low($0.value)) }
                + seconds.ticks(5, label: Format.digits).map { tick in
                    let x = seconds.position(tick.value)
                    return SVG.line(
                        x1: .part(x), y1: TimelineStrip.top, x2: .part(x), y2: TimelineStrip.bottom, style: "grid")
                })
    }

    private var labels: Markup {
        .group(
            throughput.ticks(2) { Format.short($0) + "/s" }.filter { $0.value > 0 }.map { tick in
                SVG.text(tick.label, x: 0, y: TimelineStrip.top + down(tick.value) + 11, style: "tick halo")
            }
                + [SVG.text("longest operation", x: 0, y: TimelineStrip.lowerTop - 8, style: "axis-title")]
                + longest.ticks(3) { Format.duration(microseconds: $0) }.dropFirst().map { tick in
                    SVG.text(tick.label, x: 0, y: TimelineStrip.lowerTop + low(tick.value) + 10, style: "tick halo")
                }
                + seconds.ticks(5) { Format.digits($0) + " s" }.map { tick in
                    let x = seconds.position(tick.value)
                    return SVG.text(
                        tick.label, x: .part(x), y: TimelineStrip.bottom + 14,
                        anchor: x < 0.03 ? "start" : x > 0.97 ? "end" : "middle", style: "tick")
                })
    }

    private func across(_ y: Double) -> Markup { SVG.line(x1: 0, y1: y, x2: 1, y2: y, style: "grid") }

    private func down(_ perSecond: Double) -> Double { TimelineStrip.upper * (1 - throughput.position(perSecond)) }

    private func low(_ microseconds: Double) -> Double { TimelineStrip.lower * (1 - longest.position(microseconds)) }

    private func across(of window: Int) -> Double { seconds.position(Double(window) * windows.interval) * 1000 }

    private var area: String {
        let steps = windows.perSecond.indices.map { index in
            "V\(SVG.number(down(windows.perSecond[index])))H\(SVG.number(across(of: index + 1)))"
        }
        return "M0 \(SVG.number(TimelineStrip.upper))" + steps.joined() + "V\(SVG.number(TimelineStrip.upper))Z"
    }

    private var stops: String {
        windows.perSecond.indices.filter { windows.perSecond[$0] == 0 }.map { index in
            let (from, to) = (SVG.number(across(of: index)), SVG.number(across(of: index + 1)))
            return "M\(from) 0H\(to)V\(SVG.number(TimelineStrip.upper))H\(from)Z"
        }.joined()
    }

    private func needles(_ isIncluded: (Double) -> Bool) -> String {
        windows.longest.indices.filter { windows.longest[$0] > 0 && isIncluded(windows.longest[$0]) }.map { index in
            let x = SVG.number((across(of: index) + across(of: index + 1)) / 2)
            return "M\(x) \(SVG.number(TimelineStrip.lower))V\(SVG.number(low(windows.longest[index])))"
        }.joined()
    }
}

/// A timeline with few enough windows for a chart.
struct Windows: Sendable {
    /// The length of a window in seconds.
    let interval: Double
    let perSecond: [Double]
    /// The longest operation of each window in microseconds.
    let longest: [Double]

    /// Joins adjacent windows until there are at most `limit`. A joined window has the mean throughput and the longest
    /// operation of all, so that no stall is lost.
    init(_ timeline: ResultTimeline, limit: Int = 400) {
        let count = timeline.perSecond.count
        let width = max(1, (count + limit - 1) / limit)
        let starts = stride(from: 0, to: count, by: width)
        interval = timeline.intervalSeconds * Double(width)
        perSecond = starts.map { start in
            let part = timeline.perSecond[start..<min(start + width, count)]
            return part.reduce(0, +) / Double(part.count)
        }
        longest = starts.map { start in
            timeline.longestMicroseconds[start..<min(start + width, count)].max() ?? 0
        }
    }

    var seconds: Double { interval * Double(perSecond.count) }

    /// The content of the chart as text.
    var description: String {
        guard let fastest = perSecond.max(), let slowest = perSecond.min(), let longest = longest.max() else {
            return "No windows."
        }
        let stops = perSecond.count { $0 == 0 }
        return
            "\(Format.digits(seconds)) s in windows of \(Format.digits(interval)) s. Between "
            + "\(Format.short(slowest))/s and \(Format.short(fastest))/s, \(stops) windows without any operation, "
            + "longest operation \(Format.duration(microseconds: longest))."
    }
}
