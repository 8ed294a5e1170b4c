/// A piece of an HTML page. All text is escaped here, so that no data can become a tag. Every tag is closed, so that
/// the page is also well-formed XML.
public indirect enum Markup: Sendable {
    case text(String)
    case element(String, [(name: String, value: String)], [Markup])
    case group([Markup])

    public static let none = Markup.group([])

    /// Returns a page: one file that loads nothing. `metas` are elements of its head.
    ///
    /// `style` is its style sheet. It must not contain quotes, angle brackets or ampersands: the page escapes them, but
    /// a style sheet does not unescape them.
    public static func page(
        title: String, metas: [Markup], style: String, @MarkupBuilder body: () -> Markup
    ) -> String {
        let page = tag("html", ["xmlns": "http://www.w3.org/1999/xhtml", "lang": "en"]) {
            tag("head") {
                tag("meta", ["charset": "utf-8"])
                tag("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
                metas
                tag("title") { title }
                tag("style") { style }
            }
            tag("body", [:], body)
        }
        return "<!DOCTYPE html>\n" + page.text
    }

    /// Elements without content, which HTML writes without an end tag.
    private static let voids: Set<String> = ["meta", "br", "hr", "col"]
    /// Elements after which a line ends, so that the source is readable and comparable.
    private static let blocks: Set<String> = [
        "html", "head", "body", "header", "main", "footer", "nav", "section", "div", "figure", "figcaption", "details",
        "table", "thead", "tbody", "tr", "ul", "li", "dl", "dd", "p", "h1", "h2", "h3", "svg", "meta", "style", "title",
    ]

    /// The source of the piece.
    public var text: String {
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
public enum MarkupBuilder {
    public static func buildExpression(_ markup: Markup) -> Markup { markup }
    public static func buildExpression(_ text: String) -> Markup { .text(text) }
    public static func buildExpression(_ parts: [Markup]) -> Markup { .group(parts) }
    public static func buildBlock(_ parts: Markup...) -> Markup { .group(parts) }
    public static func buildOptional(_ markup: Markup?) -> Markup { markup ?? .none }
    public static func buildEither(first markup: Markup) -> Markup { markup }
    public static func buildEither(second markup: Markup) -> Markup { markup }
    public static func buildArray(_ parts: [Markup]) -> Markup { .group(parts) }
}

/// Returns an element. Attributes keep their order.
public func tag(
    _ name: String, _ attributes: KeyValuePairs<String, String> = [:],
    @MarkupBuilder _ content: () -> Markup = { .none }
) -> Markup {
    .element(name, attributes.map { (name: $0.key, value: $0.value) }, [content()])
}
