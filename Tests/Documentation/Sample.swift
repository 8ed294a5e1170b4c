/// A piece of Swift in a document, between "```swift" and "```".
struct Sample: CustomStringConvertible {
    /// The import lines, which a compiled file has at its top.
    private var imports: [String] = []
    /// The other lines, from the first line of code on.
    private var lines: [String] = []

    var description: String { (imports + lines).joined(separator: "\n") }

    static func all(in document: String) -> [Sample] {
        var samples: [Sample] = []
        var open: Sample?
        for line in document.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            guard var sample = open else {
                if line == "```swift" { open = Sample() }
                continue
            }
            if line == "```" {
                samples.append(sample)
                open = nil
            } else {
                sample.append(line)
                open = sample
            }
        }
        return samples
    }

    private mutating func append(_ line: String) {
        if line.hasPrefix("import ") {
            imports.append(line)
        } else if !lines.isEmpty || !(line.isEmpty || line.hasPrefix("//")) {
            lines.append(line)
        }
    }

    /// True if a file contains these lines in sequence with equal indentation, and has the imports.
    func stands(in file: [String]) -> Bool {
        let unindented = Set(file.map { $0.drop { $0 == " " } })
        guard let first = lines.first, imports.allSatisfy({ unindented.contains($0[...]) }) else { return false }
        return file.indices.contains { start in
            guard file[start].hasSuffix(first), start + lines.count <= file.count else { return false }
            let indent = String(file[start].dropLast(first.count))
            guard indent.allSatisfy({ $0 == " " }) else { return false }
            return zip(file[start...], lines).allSatisfy { $0 == ($1.isEmpty ? "" : indent + $1) }
        }
    }
}
