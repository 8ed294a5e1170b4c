/// Writes HTML that is also well-formed XML.
enum Markup {
    /// Returns text for content and attributes. Characters that XML can't contain and ``Shown`` does not exclude become
    /// U+FFFD.
    static func text(_ text: Shown) -> String {
        var escaped = ""
        for scalar in text.text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\t", "\n", "\r": escaped.unicodeScalars.append(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0x7f || scalar.value & 0xfffe == 0xfffe:
                escaped += "\u{fffd}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    static func element(_ name: String, _ attributes: [(String, Shown)] = [], _ content: String = "") -> String {
        let list = attributes.map { " \($0)=\"\(text($1))\"" }.joined()
        return content.isEmpty ? "<\(name)\(list)/>" : "<\(name)\(list)>\(content)</\(name)>"
    }

    /// Returns a table of text: the first row is its head; numbers are right-aligned.
    static func table(_ rows: [[Shown]], rightAligned: Set<Int>) -> String {
        let lines = rows.enumerated().map { number, row in
            let cells = row.enumerated().map { column, cell in
                let side: [(String, Shown)] = rightAligned.contains(column) ? [("class", "n")] : []
                // Not empty: browsers interpret <td/> as an opening tag.
                return element(number == 0 ? "th" : "td", side, cell.isEmpty ? "\u{a0}" : text(cell))
            }
            return element("tr", [], cells.joined())
        }
        return element("table", [], lines.joined(separator: "\n"))
    }
}
