import Pages

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
