/// A table that can be scrolled sideways on a narrow screen. The first column names the line.
struct HTMLTable {
    struct Cell {
        let text: String
        var style = ""
    }

    let caption: String
    let titles: [String]
    let lines: [[Cell]]
    /// Columns of words, which are set flush left: indices.
    var words: Set<Int> = [0]
    /// Puts the cells of a line below each other on a narrow screen: for few columns of words.
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
