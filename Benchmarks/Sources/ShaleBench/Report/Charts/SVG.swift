/// The elements of charts. Horizontal sizes are in per cent of the width and nothing is scaled, so that text keeps its
/// size on a phone. Vertical sizes are in pixels.
enum SVG {
    /// Returns a chart with its text alternative. `height` is in pixels.
    static func chart(
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

    static func text(
        _ text: String, x: Double, y: Double, anchor: String = "start", style: String = ""
    ) -> Markup {
        tag("text", ["x": percent(x), "y": number(y), "text-anchor": anchor, "class": style]) { text }
    }

    static func line(x1: Double, y1: Double, x2: Double, y2: Double, style: String) -> Markup {
        tag(
            "line",
            ["x1": percent(x1), "y1": number(y1), "x2": percent(x2), "y2": number(y2), "class": style])
    }

    static func rect(x: Double, y: Double, width: Double, height: Double, style: String) -> Markup {
        tag(
            "rect",
            [
                "x": percent(x), "y": number(y), "width": percent(width), "height": number(height), "class": style,
            ])
    }

    static func dot(x: Double, y: Double, radius: Double = 3.5, style: String, title: String) -> Markup {
        tag("circle", ["cx": percent(x), "cy": number(y), "r": number(radius), "class": style]) {
            tag("title") { title }
        }
    }

    /// Returns an area in which paths run from 0 to 1000 horizontally and from 0 to `height` vertically.
    static func field(y: Double, height: Double, @MarkupBuilder _ content: () -> Markup) -> Markup {
        tag(
            "svg",
            [
                "x": "0", "y": number(y), "width": "100%", "height": number(height),
                "viewBox": "0 0 1000 \(number(height))", "preserveAspectRatio": "none", "class": "field",
            ], content)
    }

    static func path(_ data: String, style: String) -> Markup {
        tag("path", ["d": data, "class": style, "vector-effect": "non-scaling-stroke"])
    }

    static func number(_ value: Double) -> String { Format.trimmed(value, 2) }

    /// Formats a part from 0 to 1 as a percentage.
    static func percent(_ part: Double) -> String { Format.trimmed(part * 100, 3) + "%" }
}
