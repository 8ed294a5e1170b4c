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
