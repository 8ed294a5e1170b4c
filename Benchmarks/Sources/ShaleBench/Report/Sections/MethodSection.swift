/// How the figures were measured, and how to read them.
struct MethodSection {
    let figures: Figures

    var section: Section {
        Section(
            id: "method", title: "Method",
            content: tag("ul", ["class": "notes"]) { for note in Method.notes(figures) { tag("li") { note } } })
    }
}
