import Foundation
import Testing

/// Every sample in README.md and in the catalogues' articles is also, line for line, in a file of `Samples`, which is
/// compiled and run.
@Suite struct SampleTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Paths below the package's directory.
    private static let documents: [String] = {
        let sources = FileManager.default.enumerator(atPath: root.path + "/Sources")
        let names = (sources?.allObjects ?? []).compactMap { $0 as? String }
        let articles = names.filter { $0.contains(".docc/") && $0.hasSuffix(".md") }
        return ["README.md"] + articles.sorted().map { "Sources/" + $0 }
    }()

    private static func read(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    private static func compiled() throws -> [[String]] {
        let folder = "Tests/Documentation/Samples"
        return try FileManager.default.contentsOfDirectory(atPath: root.path + "/" + folder).sorted().map { name in
            try read(folder + "/" + name).components(separatedBy: "\n")
        }
    }

    @Test(arguments: documents)
    func everySampleIsCompiled(_ document: String) throws {
        let files = try SampleTests.compiled()
        for sample in Sample.all(in: try SampleTests.read(document)) {
            #expect(files.contains { sample.stands(in: $0) }, "\(document): not in Samples:\n\(sample)")
        }
    }

    @Test func thereAreSamples() throws {
        let count = try SampleTests.documents.reduce(0) { $0 + Sample.all(in: try SampleTests.read($1)).count }
        #expect(SampleTests.documents.count >= 8)
        #expect(count >= 20)
    }

    @Test func whatDiffersIsNoticed() {
        let sample = Sample.all(in: "text\n```swift\nimport Shale\n\nif a {\n    b()\n}\n```\n")[0]
        #expect(sample.stands(in: ["import Shale", "f {", "    if a {", "        b()", "    }", "}"]))
        #expect(!sample.stands(in: ["if a {", "    b()", "}"]), "the import is missing")
        #expect(!sample.stands(in: ["import Shale", "if a {", "b()", "}"]), "it is indented otherwise")
        #expect(!sample.stands(in: ["import Shale", "if a {", "    b()", "    c()", "}"]))
        #expect(!sample.stands(in: ["import Shale", "if a {", "    b()"]))
    }
}
