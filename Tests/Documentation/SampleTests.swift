import Foundation
import Testing

/// Every sample in README.md and in the catalogues' articles is also, line for line, in a file of `Samples`, which is
/// compiled and run.
@Suite struct SampleTests {
    /// Paths below the package's directory.
    private static let documents: [String] = {
        let sources = (try? Repository.files(in: "Sources")) ?? []
        return ["README.md"] + sources.filter { $0.contains(".docc/") && $0.hasSuffix(".md") }
    }()

    private static func compiled() throws -> [[String]] {
        let folder = "Tests/Documentation/Samples"
        return try Repository.files(in: folder).map { try Repository.read($0).components(separatedBy: "\n") }
    }

    @Test(arguments: documents)
    func everySampleIsCompiled(_ document: String) throws {
        let files = try SampleTests.compiled()
        for sample in Sample.all(in: try Repository.read(document)) {
            #expect(files.contains { sample.stands(in: $0) }, "\(document): not in Samples:\n\(sample)")
        }
    }

    @Test func thereAreSamples() throws {
        let count = try SampleTests.documents.reduce(0) { $0 + Sample.all(in: try Repository.read($1)).count }
        #expect(SampleTests.documents.count >= 8)
        #expect(count >= 20)
    }

    @Test func differencesAreNoticed() {
        let sample = Sample.all(in: "text\n```swift\nimport Shale\n\nif a {\n    b()\n}\n```\n")[0]
        #expect(sample.stands(in: ["import Shale", "f {", "    if a {", "        b()", "    }", "}"]))
        #expect(!sample.stands(in: ["if a {", "    b()", "}"]), "the import is missing")
        #expect(!sample.stands(in: ["import Shale", "if a {", "b()", "}"]), "it is indented otherwise")
        #expect(!sample.stands(in: ["import Shale", "if a {", "    b()", "    c()", "}"]))
        #expect(!sample.stands(in: ["import Shale", "if a {", "    b()"]))
    }
}

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
