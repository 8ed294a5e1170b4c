import Formatting

/// The elements of charts. Vertical sizes are in pixels.
public enum SVG {
    /// A horizontal position or size.
    public enum Across: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
        /// A part from 0 to 1 of the chart's width.
        case part(Double)
        case pixels(Double)

        public init(floatLiteral part: Double) { self = .part(part) }
        public init(integerLiteral part: Int) { self = .part(Double(part)) }

        fileprivate var text: String {
            switch self {
            case .part(let part): Format.trimmed(part * 100, 3) + "%"
            case .pixels(let count): number(count)
            }
        }
    }

    /// Returns a chart with its text alternative. It takes the whole width and nothing is scaled, so that text keeps
    /// its size on a phone.
    public static func chart(
        _ title: String, description: String, height: Double, style: String = "", @MarkupBuilder _ content: () -> Markup
    ) -> Markup {
        tag(
            "svg",
            [
                "xmlns": "http://www.w3.org/2000/svg", "role": "img", "class": "chart \(style)", "width": "100%",
                "height": number(height),
            ]
        ) {
            tag("title") { title }
            tag("desc") { description }
            content()
        }
    }

    /// Returns a chart that is drawn in pixels of `width` and scaled as a whole to the width that it is given.
    public static func drawing(
        _ description: String, width: Double, height: Double, @MarkupBuilder _ content: () -> Markup
    ) -> Markup {
        tag(
            "svg",
            [
                "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 \(number(width)) \(number(height))",
                "role": "img", "aria-label": description,
            ], content)
    }

    /// Returns a line of text. `title` is shown when the pointer rests on it.
    public static func text(
        _ text: String, x: Across, y: Double, anchor: String = "start", style: String = "", title: String? = nil
    ) -> Markup {
        tag("text", ["x": x.text, "y": number(y), "text-anchor": anchor, "class": style]) {
            text
            if let title { tag("title") { title } }
        }
    }

    public static func line(x1: Across, y1: Double, x2: Across, y2: Double, style: String) -> Markup {
        tag(
            "line",
            ["x1": x1.text, "y1": number(y1), "x2": x2.text, "y2": number(y2), "class": style])
    }

    public static func rect(
        x: Across, y: Double, width: Across, height: Double, style: String, title: String? = nil
    ) -> Markup {
        tag("rect", ["x": x.text, "y": number(y), "width": width.text, "height": number(height), "class": style]) {
            if let title { tag("title") { title } }
        }
    }

    public static func dot(x: Across, y: Double, radius: Double = 3.5, style: String, title: String) -> Markup {
        tag("circle", ["cx": x.text, "cy": number(y), "r": number(radius), "class": style]) {
            tag("title") { title }
        }
    }

    /// Returns an area in which paths run from 0 to 1000 horizontally and from 0 to `height` vertically.
    public static func field(y: Double, height: Double, @MarkupBuilder _ content: () -> Markup) -> Markup {
        tag(
            "svg",
            [
                "x": "0", "y": number(y), "width": "100%", "height": number(height),
                "viewBox": "0 0 1000 \(number(height))", "preserveAspectRatio": "none", "class": "field",
            ], content)
    }

    public static func path(_ data: String, style: String) -> Markup {
        tag("path", ["d": data, "class": style, "vector-effect": "non-scaling-stroke"])
    }

    /// Returns a coordinate in pixels, also for the data of a path.
    public static func number(_ value: Double) -> String { Format.trimmed(value, 2) }
}
