/// Mutations that are known to change nothing that a test could see, each with the argument why:
/// tools/support/equivalent-mutations.txt.
///
/// An entry has at least four lines and ends with an empty one: the path, `>` with the source line without the blanks
/// around it, `-` with the change as the table prints it, and the reason.
struct Equivalents {
    private var reasons: [Mutation.Identity: String] = [:]

    init(_ text: String) throws {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("#") }
        for entry in lines.split(whereSeparator: \.isEmpty) {
            let parts = Array(entry)
            guard parts.count >= 4, parts[1].hasPrefix("> "), parts[2].hasPrefix("- ") else {
                throw MutateError("not an equivalent mutation:\n\(parts.joined(separator: "\n"))")
            }
            let identity = Mutation.Identity(
                path: String(parts[0]), sourceLine: String(parts[1].dropFirst(2)), change: String(parts[2].dropFirst(2))
            )
            reasons[identity] = parts[3...].joined(separator: " ")
        }
    }

    func reason(_ mutation: Mutation) -> String? { reasons[mutation.identity] }
}
