/// A piece of the HTML page. All text is escaped here, so that nothing from a result file can become a tag. Every tag
/// is closed, so that the page is also well-formed XML.
indirect enum Markup: Sendable {
    case text(String)
    case element(String, [(name: String, value: String)], [Markup])
    case group([Markup])

    static let none = Markup.group([])

    /// Elements without content, which HTML writes without an end tag.
    private static let voids: Set<String> = ["meta", "br", "hr", "col"]
    /// Elements after which a line ends, so that the source is readable and comparable.
    private static let blocks: Set<String> = [
        "html", "head", "body", "header", "main", "footer", "nav", "section", "div", "figure", "figcaption", "details",
        "table", "thead", "tbody", "tr", "ul", "li", "dl", "dd", "p", "h1", "h2", "h3", "svg", "meta", "style", "title",
    ]

    var text: String {
        var output = ""
        write(into: &output)
        return output
    }

    private func write(into output: inout String) {
        switch self {
        case .text(let text): Markup.escape(text, into: &output)
        case .group(let parts): parts.forEach { $0.write(into: &output) }
        case .element(let name, let attributes, let parts):
            output += "<\(name)"
            for (name, value) in attributes {
                output += " \(name)=\""
                Markup.escape(value, into: &output)
                output += "\""
            }
            if Markup.voids.contains(name) {
                output += "/>"
            } else {
                output += ">"
                parts.forEach { $0.write(into: &output) }
                output += "</\(name)>"
            }
            if Markup.blocks.contains(name) { output += "\n" }
        }
    }

    /// Escapes text. Characters that XML does not allow become U+FFFD.
    private static func escape(_ text: String, into output: inout String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": output += "&amp;"
            case "<": output += "&lt;"
            case ">": output += "&gt;"
            case "\"": output += "&quot;"
            case "'": output += "&#39;"
            case "\t", "\n", "\r": output.unicodeScalars.append(scalar)
            case "\u{0}"..<"\u{20}", "\u{7F}"..<"\u{A0}", "\u{FFFE}", "\u{FFFF}":
                output.unicodeScalars.append("\u{FFFD}")
            default: output.unicodeScalars.append(scalar)
            }
        }
    }
}

/// Builds markup in the order in which it appears: `tag("p") { "text" }`.
@resultBuilder
enum MarkupBuilder {
    static func buildExpression(_ markup: Markup) -> Markup { markup }
    static func buildExpression(_ text: String) -> Markup { .text(text) }
    static func buildExpression(_ parts: [Markup]) -> Markup { .group(parts) }
    static func buildBlock(_ parts: Markup...) -> Markup { .group(parts) }
    static func buildOptional(_ markup: Markup?) -> Markup { markup ?? .none }
    static func buildEither(first markup: Markup) -> Markup { markup }
    static func buildEither(second markup: Markup) -> Markup { markup }
    static func buildArray(_ parts: [Markup]) -> Markup { .group(parts) }
}

/// Returns an element. Attributes keep their order.
func tag(
    _ name: String, _ attributes: KeyValuePairs<String, String> = [:],
    @MarkupBuilder _ content: () -> Markup = { .none }
) -> Markup {
    .element(name, attributes.map { (name: $0.key, value: $0.value) }, [content()])
}
