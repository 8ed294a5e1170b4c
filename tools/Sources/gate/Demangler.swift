/// Readable names for symbols.
enum Demangler {
    /// The names of `symbols`, in short form: without module names and without what the optimiser added.
    static func names(of symbols: Set<String>) throws -> [String: String] {
        let ordered = symbols.sorted()
        guard !ordered.isEmpty else { return [:] }
        let text = try Command.output("swift-demangle", ["--simplified"], input: ordered.joined(separator: "\n"))
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count >= ordered.count else { throw GateError("swift-demangle left names out") }
        return Dictionary(uniqueKeysWithValues: zip(ordered, lines.lazy.map(short)))
    }

    /// A specialised function is the function, for whoever reads or writes a rule.
    static func short(_ name: String) -> String {
        var name = Substring(name)
        for prefix in ["specialized ", "merged ", "partial apply for "] where name.hasPrefix(prefix) {
            name = name.dropFirst(prefix.count)
        }
        return String(name)
    }
}
