/// Readable names for symbols.
enum Demangler {
    /// Returns the short names of `symbols`: without module names and the optimizer's additions.
    static func names(of symbols: Set<String>) async throws -> [String: String] {
        let ordered = symbols.sorted()
        guard !ordered.isEmpty else { return [:] }
        let text = try await Command.output("swift-demangle", ["--simplified"], input: ordered.joined(separator: "\n"))
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count >= ordered.count else { throw GateError("swift-demangle left names out") }
        return Dictionary(uniqueKeysWithValues: zip(ordered, lines.lazy.map(short)))
    }

    /// Removes the prefixes of specialised functions: for a rule, they are the same function.
    static func short(_ name: String) -> String {
        var name = Substring(name)
        for prefix in ["specialized ", "merged ", "partial apply for "] where name.hasPrefix(prefix) {
            name = name.dropFirst(prefix.count)
        }
        return String(name)
    }
}
