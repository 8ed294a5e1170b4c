/// The report as one self-contained HTML file: no script, font or picture from elsewhere.
struct HTMLReport {
    let figures: Figures
    let verdicts: [BarVerdict]

    var text: String { "<!DOCTYPE html>\n" + page.text }

    private var page: Markup {
        tag("html", ["xmlns": "http://www.w3.org/1999/xhtml", "lang": "en"]) {
            tag("head") {
                tag("meta", ["charset": "utf-8"])
                tag("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
                tag("meta", ["name": "color-scheme", "content": "light dark"])
                tag("title") { "Shale benchmarks, \(figures.file.machine.date)" }
                tag("style") { .group(StyleSheet.all.map(Markup.text)) }
            }
            tag("body") {
                header
                tag("main") { for section in sections { section.markup } }
                tag("footer") { tag("p") { "Made by shale-bench report from \(figures.file.rows.count) rows." } }
            }
        }
    }

    private var sections: [Section] {
        [
            OverviewSection(figures: figures).section, BarsSection(verdicts: verdicts).section,
            MachineSection(figures: figures).section,
        ] + figures.workloads.map { WorkloadSection(workload: $0, figures: figures).section }
            + [
                TimelineSection(figures: figures).section, SizeSection(figures: figures).section,
                ResourceSection(figures: figures).section, MethodSection(figures: figures).section,
                RowsSection(rows: figures.file.rows).section,
            ]
    }

    private var header: Markup {
        let machine = figures.file.machine
        return tag("header") {
            tag("h1") { "Shale benchmarks" }
            tag("p", ["class": "lead"]) {
                "Preset \(machine.preset), \(machine.date), revision \(machine.revision), on \(machine.cpu) with "
                    + "\(machine.cores) cores. \(Method.repetitions(figures)). Bars: \(BarCount(verdicts).text)."
            }
            tag("nav", ["aria-label": "Sections"]) {
                tag("ul") {
                    for section in sections {
                        tag("li") { tag("a", ["href": "#\(section.id)"]) { section.title } }
                    }
                }
            }
        }
    }
}

/// A part of the page with a link target.
struct Section {
    let id: String
    let title: String
    let content: Markup

    var markup: Markup {
        tag("section", ["id": id, "aria-labelledby": "\(id)-title"]) {
            tag("h2", ["id": "\(id)-title"]) { title }
            content
        }
    }
}
