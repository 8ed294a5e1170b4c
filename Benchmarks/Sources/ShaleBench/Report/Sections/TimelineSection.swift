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
