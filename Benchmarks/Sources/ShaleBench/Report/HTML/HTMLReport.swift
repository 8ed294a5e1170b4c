import Pages

/// The report as one self-contained HTML file: no script, font or picture from elsewhere.
struct HTMLReport {
    let figures: Figures
    let verdicts: [BarVerdict]

    var text: String {
        Markup.page(
            title: "Shale benchmarks, \(figures.file.machine.date)",
            metas: [tag("meta", ["name": "color-scheme", "content": "light dark"])], style: StyleSheet.all.joined()
        ) {
            header
            tag("main") { for section in sections { section.markup } }
            tag("footer") { tag("p") { "Made by shale-bench report from \(figures.file.rows.count) rows." } }
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

/// A table that scrolls horizontally on a narrow screen. The first column names the line.
struct HTMLTable {
    struct Cell {
        let text: String
        var style = ""
    }

    let caption: String
    let titles: [String]
    let lines: [[Cell]]
    /// The indices of the columns with text, which are left-aligned.
    var words: Set<Int> = [0]
    /// If true, a narrow screen stacks the cells of a line. For few columns of text.
    var isStacked = false

    var markup: Markup {
        tag(
            "div",
            ["class": isStacked ? "scroll stack" : "scroll", "tabindex": "0", "role": "region", "aria-label": caption]
        ) {
            tag("table") {
                tag("caption") { caption }
                tag("thead") {
                    tag("tr") {
                        for (index, title) in titles.enumerated() {
                            tag("th", ["scope": "col", "class": words.contains(index) ? "words" : ""]) { title }
                        }
                    }
                }
                tag("tbody") { for line in lines { tag("tr") { for index in line.indices { cell(line, index) } } } }
            }
        }
    }

    private func cell(_ line: [Cell], _ index: Int) -> Markup {
        let classes = (words.contains(index) ? "words " : "") + line[index].style
        return index == 0
            ? tag("th", ["scope": "row", "class": classes]) { line[index].text }
            : tag("td", ["class": classes]) { line[index].text }
    }
}
